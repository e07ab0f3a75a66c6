import type { Approval } from '../call/call.ts';
import { errorContent, toolError } from '../call/errors/error-table.ts';
import { CATALOGUES } from '../call/messages/catalogues.ts';
import type { CallFailure } from '../call/result.ts';
import type { Selection, View } from '../catalog/view.ts';
import type { Manifest } from '../plugin/manifest.ts';
import type { ToolHost } from './types.ts';

/** Asks somebody whether a call may run. Must answer when the signal aborts. */
export type AskApproval = (question: {
  readonly manifest: Manifest;
  readonly arguments: unknown;
  readonly signal?: AbortSignal;
}) => Promise<Approval>;

/** `always` asks, `never` doesn't, and without a rule of its own a tool that destroys things asks. */
export function needsApproval({ approval, annotations }: Manifest): boolean {
  if (approval === 'always') return true;
  return approval !== 'never' && annotations.destructive === true;
}

/** A host that asks before it runs a tool whose manifest wants that. One question at a time: people read slowly. */
export function approvingHost(
  host: ToolHost & { view(selection?: Selection): View },
  ask: AskApproval,
): ToolHost & { view(selection?: Selection): View } {
  let before: Promise<unknown> = Promise.resolve();
  return {
    view: (selection) => host.view(selection),
    async call(request) {
      const manifest = host.view().get(request.name)?.manifest;
      if (manifest === undefined || !needsApproval(manifest)) return host.call(request);
      const { signal } = request;
      const question = {
        manifest,
        arguments: request.arguments,
        ...(signal === undefined ? {} : { signal }),
      };
      const asked = before.then(() => ask(question));
      before = asked.catch(() => undefined);
      const approval = await asked.catch((): Approval => ({ kind: 'refused' }));
      return approval.kind === 'approved' ? host.call(request) : refusal(request, approval);
    },
  };
}

function refusal(
  request: Parameters<ToolHost['call']>[0],
  approval: Exclude<Approval, { kind: 'approved' }>,
): CallFailure {
  const detail = approval.kind === 'refused' ? approval.reason : undefined;
  const error = toolError(CATALOGUES.en, 'not_approved', {
    tool: request.name,
    reason: approval.kind,
    detail,
  });
  return {
    ok: false,
    ...(request.id === undefined ? {} : { id: request.id }),
    content: errorContent(CATALOGUES.en, error),
    error,
    tool: { name: request.name },
    usage: { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 },
  };
}
