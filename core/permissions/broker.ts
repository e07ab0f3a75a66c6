import type { Broker, GuestError, HostCall, HostReply } from '../sandbox/sandbox.ts';
import { createFiles, type Files } from './files/files.ts';
import type { ProtectedPaths } from './files/guard.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits } from './files/limits.ts';
import { type Denial, denialMessage, grantLine, OTHER_TARGETS } from './grant.ts';
import { type Connections, createConnections } from './net/connections.ts';
import { createFetcher, type Fetcher } from './net/fetcher.ts';
import { DEFAULT_NET_LIMITS, type NetLimits } from './net/limits.ts';
import { type Resolver, systemResolver } from './net/resolve.ts';
import { ABORTED, type Answer, failed, type Refusal } from './outcome.ts';
import { ParameterError, type Params, parseParams } from './params.ts';
import type { Capability, Policy } from './policy.ts';
import { environmentSecrets, type SecretSource, secretValues } from './secrets/edge.ts';
import { createRedactor, type Redactor } from './secrets/redactor.ts';
import { useStorage } from './storage/capability.ts';
import type { Storage } from './storage/storage.ts';
import { type CallTool, useTool } from './tools/capability.ts';

/** A capability as one call used it; equal uses are counted, not repeated. */
export interface CapabilityUse {
  readonly capability: Capability;
  /** In the form of a grant's target; no query, no secret. */
  readonly target: string;
  readonly allowed: boolean;
  readonly count: number;
}

export interface BrokerOptions {
  readonly policy: Policy;
  /** Name of the tool that asks. */
  readonly plugin: string;
  /** The tools whose calls led to this one, this one last. @defaultValue the plugin alone */
  readonly chain?: readonly string[];
  /** The directory of registry.config.json; relative paths start here. @defaultValue the working directory */
  readonly baseDir?: string;
  readonly protectedPaths?: ProtectedPaths;
  readonly storage?: Storage;
  readonly callTool?: CallTool;
  /** Which tool is meant by a name that is none: the policy is held against that one. @defaultValue the name itself */
  readonly ownNameOf?: (name: string) => string;
  /** Where the secrets' values are. @defaultValue the environment of the host */
  readonly secrets?: SecretSource;
  /** @defaultValue the system's */
  readonly resolver?: Resolver;
  /** Shared by the calls of one plugin to keep sockets open. @defaultValue this call's own, closed with it */
  readonly connections?: Connections;
  readonly netLimits?: Partial<NetLimits>;
  readonly fileLimits?: Partial<FileLimits>;
}

/** The capabilities of one call. */
export interface CallBroker {
  readonly broker: Broker;
  /** What a host call was refused for, by its number. */
  denial(hostCallNumber: number): Denial | undefined;
  /** What a host call was answered with if it failed, by its number. */
  hostError(hostCallNumber: number): GuestError | undefined;
  /** Everything used and refused so far. */
  uses(): readonly CapabilityUse[];
  /** Takes this plugin's secrets out of a text. */
  redact(text: string): string;
  /** Ends what is open: requests and their sockets. */
  close(): Promise<void>;
}

/** Different uses that are told apart; the others of a capability are counted together. */
const MOST_USES = 500;
/** Characters of their targets together: a flood of long ones would push older calls out of the audit's files. */
const MOST_TARGET_CHARS = 65_536;
const MOST_ERRORS = 10_000;
const LONGEST_TARGET = 500;

/** Does net, files, storage and tools on a plugin's behalf, within its policy. The broker never throws or rejects. */
export function createBroker(options: BrokerOptions): CallBroker {
  const { policy, plugin } = options;
  const secrets = options.secrets ?? environmentSecrets;
  const redactor = createRedactor(secretValues(policy, secrets));
  const ledger = createLedger(redactor);
  // Seen from the first line on: nobody can tell which of them the plugin reads.
  for (const target of policy.env) ledger.record({ capability: 'env', target, allowed: true });
  const ending = new AbortController();
  const connections = lazy(
    () => options.connections ?? createConnections({ headerBytes: netLimits.headerBytes }),
  );
  const netLimits: NetLimits = { ...DEFAULT_NET_LIMITS, ...options.netLimits };
  const fetcher = lazy(() =>
    createFetcher({
      policy,
      connections: connections.get(),
      resolver: options.resolver ?? systemResolver,
      secrets,
      redactor,
      limits: netLimits,
      record: ledger.record,
      signal: ending.signal,
    }),
  );
  const files = lazy(() => createFilesOf(options, ledger, ending.signal));

  function dispatch(call: HostCall, params: Params): Promise<Answer> | undefined {
    const [group, name] = call.method.split('.');
    if (group === 'fetch') return fetchMethod(fetcher.get(), name, params);
    if (group === 'fs') return files.get().run(call.method, params);
    if (group === 'storage' && ['get', 'set', 'delete', 'keys'].includes(name ?? '')) {
      const { storage } = options;
      return useStorage(
        {
          plugin,
          quota: policy.storageBytes,
          requested: policy.storageRequested,
          storage,
          record: ledger.record,
        },
        call.method,
        params,
      );
    }
    if (call.method !== 'tools.call') return undefined;
    const { chain = [plugin], callTool, ownNameOf = (name) => name } = options;
    return useTool(
      { policy, chain, callTool, ownNameOf, record: ledger.record, signal: call.signal },
      params,
    );
  }

  async function answer(call: HostCall): Promise<Answer> {
    if (call.signal.aborted || ending.signal.aborted) return ABORTED;
    // The call's end is the end of all that it opened.
    call.signal.addEventListener('abort', end, { once: true });
    const params = parseParams(call.params);
    if (!params) return failed('TypeError', 'the parameters of a host call must be a JSON object');
    try {
      return (
        (await dispatch(call, params)) ??
        failed('TypeError', `the host has no "${call.method.slice(0, 100)}"`)
      );
    } catch (error) {
      if (error instanceof ParameterError) return failed('TypeError', error.message);
      return failed('Error', 'the host could not do this', 'internal');
    }
  }

  function end(): void {
    ending.abort();
    fetcher.made()?.closeAll();
  }

  return {
    broker: async (call) => toReply(await answer(call), plugin, call.number, ledger),
    denial: (number) => ledger.denials.get(number),
    hostError: (number) => ledger.errors.get(number),
    uses: () => ledger.uses(),
    redact: (text) => redactor.text(text),
    async close() {
      end();
      if (!options.connections) await connections.made()?.close();
    },
  };
}

function createFilesOf(options: BrokerOptions, ledger: Ledger, signal: AbortSignal): Files {
  return createFiles({
    policy: options.policy,
    baseDir: options.baseDir ?? process.cwd(),
    protectedPaths: options.protectedPaths ?? { closed: [], readOnly: [] },
    limits: { ...DEFAULT_FILE_LIMITS, ...options.fileLimits },
    record: ledger.record,
    signal,
  });
}

function fetchMethod(
  fetcher: Fetcher,
  name: string | undefined,
  params: Params,
): Promise<Answer> | undefined {
  if (name === 'open') return fetcher.open(params);
  if (name === 'read') return fetcher.read(params);
  return name === 'close' ? fetcher.close(params) : undefined;
}

function toReply(answer: Answer, plugin: string, number: number, ledger: Ledger): HostReply {
  if (answer.ok) return { ok: true, json: JSON.stringify(answer.value ?? null) };
  const error = 'denied' in answer ? ledger.deny(answer.denied, plugin, number) : ledger.clean(answer.error);
  if (ledger.errors.size < MOST_ERRORS) ledger.errors.set(number, error);
  return { ok: false, error };
}

type Ledger = ReturnType<typeof createLedger>;

/** What one call used and was refused; nothing in it holds a secret. */
function createLedger(redactor: Redactor) {
  const counted = new Map<string, { use: Omit<CapabilityUse, 'count'>; count: number }>();
  const denials = new Map<number, Denial>();
  const errors = new Map<number, GuestError>();
  const clean = (text: string) => redactor.text(text).slice(0, LONGEST_TARGET);
  let targetChars = 0;
  const hasRoom = (target: string) =>
    counted.size < MOST_USES && targetChars + target.length <= MOST_TARGET_CHARS;

  function record(use: Omit<CapabilityUse, 'count'>): void {
    const target = clean(use.target);
    const key = `${use.capability} ${use.allowed} ${target}`;
    const known = counted.get(key);
    if (known) known.count += 1;
    else if (hasRoom(target) || target === OTHER_TARGETS) {
      counted.set(key, { use: { ...use, target }, count: 1 });
      targetChars += target.length;
    } else record({ ...use, target: OTHER_TARGETS });
  }

  return {
    denials,
    errors,
    record,
    uses: (): readonly CapabilityUse[] => [...counted.values()].map(({ use, count }) => ({ ...use, count })),
    clean: (error: GuestError): GuestError => ({ ...error, message: redactor.text(error.message) }),
    deny(refusal: Refusal, plugin: string, number: number): GuestError {
      const { grantable, ...rest } = refusal;
      const target = clean(refusal.target);
      // A target that was cut or redacted makes no grant.
      const grant =
        grantable && target === refusal.target ? grantLine(plugin, refusal.capability, target) : undefined;
      const denial: Denial = { ...rest, target, ...(grant === undefined ? {} : { grant }) };
      if (denials.size < MOST_ERRORS) denials.set(number, denial);
      return { name: 'NotAllowedError', code: 'permission_denied', message: denialMessage(denial) };
    },
  };
}

function lazy<Value>(make: () => Value) {
  let value: { readonly made: Value } | undefined;
  return {
    get(): Value {
      value ??= { made: make() };
      return value.made;
    },
    made: (): Value | undefined => value?.made,
  };
}
