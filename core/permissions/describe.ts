import type { PermissionRequest } from '../plugin/manifest.ts';
import { formatSize, parseSize } from './size.ts';

export type Locale = 'en' | 'zh';

interface Words {
  readonly nothing: string;
  readonly net: (method: string | undefined, pattern: string) => string;
  readonly read: (pattern: string) => string;
  readonly write: (pattern: string) => string;
  readonly env: (name: string) => string;
  readonly secret: (name: string, header: string, origin: string) => string;
  readonly tools: (pattern: string) => string;
  readonly storage: (size: string) => string;
  readonly anywhere: string;
}

const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    nothing: 'Asks for nothing: it only computes.',
    net: (method, pattern) => `Send ${method ?? 'any'} requests to ${pattern}`,
    read: (pattern) => `Read files: ${pattern}`,
    write: (pattern) => `Create, change and delete files: ${pattern}`,
    env: (name) => `See the environment variable ${name}`,
    secret: (name, header, origin) =>
      `Have the host add the secret ${name} (header ${header}) to its requests to ${origin}; it never sees the value`,
    tools: (pattern) => `Call other tools: ${pattern}`,
    storage: (size) => `Keep up to ${size} of its own data`,
    anywhere: 'any host on the internet',
  },
  zh: {
    nothing: '不申请任何权限：只做计算。',
    net: (method, pattern) => `向 ${pattern} 发送${method ? ` ${method} ` : '任意'}请求`,
    read: (pattern) => `读取文件：${pattern}`,
    write: (pattern) => `创建、修改和删除文件：${pattern}`,
    env: (name) => `查看环境变量 ${name}`,
    secret: (name, header, origin) =>
      `由宿主在发往 ${origin} 的请求中加入密钥 ${name}（请求头 ${header}）；插件看不到它的值`,
    tools: (pattern) => `调用其他工具：${pattern}`,
    storage: (size) => `保存最多 ${size} 的自有数据`,
    anywhere: '互联网上的任意主机',
  },
};

/** What a plugin asks for, one plain sentence an entry, for a person who is about to consent. */
export function describePermissions(request: PermissionRequest, locale: Locale = 'en'): readonly string[] {
  const words = WORDS[locale];
  const lines: string[] = [];
  for (const rule of request.net ?? []) {
    const [, method, pattern] = /^(?:(\S+)\s+)?(\S+)$/.exec(rule.trim()) ?? [];
    const anywhere = /^(?:https?|\*|http\{s\}\?):\/\/\*(?::\*)?(?:\/\*{0,2})?$/.test(pattern ?? '');
    lines.push(
      words.net(
        method === '*' ? undefined : method,
        printable(anywhere ? words.anywhere : (pattern ?? rule)),
      ),
    );
  }
  for (const rule of request.read ?? []) lines.push(words.read(printable(rule)));
  for (const rule of request.write ?? []) lines.push(words.write(printable(rule)));
  for (const name of request.env ?? []) lines.push(words.env(printable(name)));
  for (const [name, use] of Object.entries(request.secrets ?? {})) {
    lines.push(words.secret(printable(name), printable(use.header), printable(use.for)));
  }
  for (const rule of request.tools ?? []) lines.push(words.tools(printable(rule)));
  if (request.storage !== undefined) {
    const bytes = parseSize(request.storage);
    lines.push(words.storage(bytes === undefined ? printable(request.storage) : formatSize(bytes)));
  }
  return lines.length > 0 ? lines : [words.nothing];
}

/** A stranger's text may steer a terminal: escape sequences, right-to-left overrides, line breaks. */
export function printable(text: string, longest = 300): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
