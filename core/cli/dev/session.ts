import type { AuditEntry } from '../../audit/index.ts';
import { type Config, formatConfigProblems, readConfig } from '../../config/index.ts';
import { createHost, type Host } from '../../host.ts';
import { ConfigError } from '../../host-options.ts';
import type { InspectOptions } from '../../inspect/index.ts';
import { isQuietNow, loadingProgress, oneLine, paint } from '../output.ts';
import { printable } from '../printable.ts';
import { followAudit } from './follow-audit.ts';
import { followConfig } from './follow-config.ts';
import { formatCall, formatEntry } from './print-calls.ts';
import { printChanges } from './print-changes.ts';
import { type LineReader, readLines } from './read-lines.ts';

export interface DevSessionOptions {
  readonly config?: string;
  /** Name of a plugin that Chrome DevTools may attach to. */
  readonly inspect?: string;
}

const HELP = `NAME {"argument": 1}  call a tool (also: call NAME {...})
list                  the tools that can be called
quit                  end`;
/** Lines of the audit that this process has written itself. */
const MOST_OWN = 1_000;

/** One `glovebox dev`: a host that is made anew whenever the config changes, and all that it has to say. */
export class DevSession {
  /** Resolves when the person at the terminal ends it. */
  readonly ended: Promise<void>;
  readonly #options: DevSessionOptions;
  readonly #lines: LineReader;
  readonly #own = new Set<string>();
  readonly #entries = new Map<string, (entry: AuditEntry) => void>();
  #host: Host | undefined;
  #changes: ReturnType<typeof printChanges> | undefined;
  #audit: { close(): void } | undefined;
  #config: Awaited<ReturnType<typeof followConfig>> | undefined;
  readonly #started = Promise.withResolvers<void>();
  /** What is typed while the plugins load waits for them. */
  #turn: Promise<void> = this.#started.promise;
  #calls = 0;
  #closed = false;

  private constructor(options: DevSessionOptions) {
    this.#options = options;
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.#lines = readLines({
      ...{ input: process.stdin, output: process.stderr },
      names: () => this.#names(),
      onLine: (line) => {
        if (line === 'quit' || line === 'exit') ended.resolve();
        else this.#act(line);
      },
      onEnd: ended.resolve,
    });
  }

  /** @throws ConfigError for a wrong config: there is nothing to follow. */
  static async open(options: DevSessionOptions): Promise<DevSession> {
    const read = await readConfig(options.config);
    if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
    const session = new DevSession(options);
    try {
      // First of all: what is changed while the plugins load counts too.
      session.#config = await followConfig(read.config, options.config, {
        onChange: (keys) => session.#restart(keys),
        onWrong: (text) => session.#tell(paint(process.stderr, 'red', printable(text))),
      });
      await session.#start(read.config);
      session.#started.resolve();
    } catch (error) {
      session.#started.resolve();
      await session.close();
      throw error;
    }
    return session;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#lines.close();
    await this.#config?.close();
    await this.#turn;
    await this.#stop();
  }

  #tell(text: string): void {
    this.#lines.say(text);
  }

  async #start(config: Config): Promise<void> {
    const progress = loadingProgress();
    const host = await createHost({
      ...(this.#options.config === undefined ? {} : { config: this.#options.config }),
      ...(this.#lines.ask === undefined ? {} : { onApproval: this.#lines.ask }),
      watch: true,
      ...this.#inspecting(),
      onAudit: (entry) => this.#audited(entry),
      onProblem: ({ message }) => {
        // What the config says of itself is told by what follows it here.
        if (!message.startsWith('the config has changed'))
          this.#tell(paint(process.stderr, 'red', oneLine(message)));
      },
      onLog: (tool, level, text) => this.#log(tool, level, text),
      onLoading: progress.onLoading,
    });
    this.#host = host;
    this.#changes = printChanges(host, (text) => this.#tell(text));
    if (config.audit !== undefined)
      this.#audit = await followAudit(config.audit.path, (entry, line) => {
        if (!this.#own.has(line) && this.#host === host)
          this.#tell(formatEntry(entry, host, ', in another process'));
      });
    await host.ready;
    progress.end();
    await this.#changes.settled();
    if (this.#closed) return;
    const count = host.catalog.tools().length;
    const { inspect } = this.#options;
    if (inspect !== undefined && !this.#names().includes(inspect))
      this.#tell(paint(process.stderr, 'red', `there is no tool "${oneLine(inspect)}" to inspect yet`));
    if (!isQuietNow())
      this.#tell(`${count} tool${count === 1 ? '' : 's'} ready; watching for changes. Ctrl-C ends.`);
  }

  async #stop(): Promise<void> {
    this.#audit?.close();
    this.#audit = undefined;
    await this.#changes?.settled();
    await this.#host?.close();
    this.#host = undefined;
  }

  #restart(keys: readonly string[]): void {
    this.#inTurn(async () => {
      const read = await readConfig(this.#options.config);
      if (!read.ok || this.#closed) return;
      this.#tell(
        paint(process.stderr, 'cyan', `the config has changed (${keys.map(oneLine).join(', ')}): restarting`),
      );
      await this.#stop();
      await this.#start(read.config);
    });
  }

  /** A restart waits for calls that run, and a call for a restart. */
  #inTurn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#tell(
        paint(process.stderr, 'red', oneLine(error instanceof Error ? error.message : String(error))),
      );
    });
  }

  #names(): string[] {
    return this.#host?.catalog.tools().map(({ manifest }) => manifest.name) ?? [];
  }

  #act(line: string): void {
    if (line === 'help' || line === '?') return this.#tell(HELP);
    if (line === 'list') return this.#inTurn(async () => this.#tell(this.#names().map(oneLine).join('\n')));
    const [, name = '', args = ''] = /^(?:call\s+)?(\S+)\s*(.*)$/s.exec(line) ?? [];
    this.#inTurn(() => this.#call(name, args));
  }

  async #call(name: string, args: string): Promise<void> {
    const host = this.#host;
    if (host === undefined) return;
    this.#calls += 1;
    const id = `dev-${process.pid}-${this.#calls}`;
    let entry: AuditEntry | undefined;
    this.#entries.set(id, (made) => {
      entry = made;
    });
    const result = await host.call({ name, arguments: args, id });
    this.#entries.delete(id);
    this.#tell(await formatCall(host, args, result, entry));
  }

  #audited(entry: AuditEntry): void {
    const line = JSON.stringify(entry);
    this.#own.add(line);
    if (this.#own.size > MOST_OWN) this.#own.delete(this.#own.values().next().value ?? '');
    const asked = entry.id === undefined ? undefined : this.#entries.get(entry.id);
    if (asked !== undefined) asked(entry);
    else if (this.#host !== undefined) this.#tell(formatEntry(entry, this.#host, ''));
  }

  #inspecting(): { inspect?: InspectOptions } {
    const { inspect: plugin } = this.#options;
    if (plugin === undefined) return {};
    const onAddress = (url: string) =>
      this.#tell(
        `${paint(process.stderr, 'bold', `inspect ${oneLine(plugin)}`)}: open chrome://inspect, or this address in Chrome:\n  ${url}\nIt has no deadlines now; type ${oneLine(plugin)} {...} here to call it.`,
      );
    const onRefused = (reason: string) => this.#tell(paint(process.stderr, 'red', oneLine(reason)));
    return { inspect: { plugin, onAddress, onRefused } };
  }

  #log(tool: string, level: string, text: string): void {
    if (isQuietNow() && level !== 'error') return;
    this.#tell(`${paint(process.stderr, 'dim', `${oneLine(tool)} ${level}:`)} ${printable(text)}`);
  }
}
