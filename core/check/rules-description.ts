import { TARGET_RULES, TARGETS } from '../adapters/index.ts';
import type { Finding } from './finding.ts';
import { findingAt, type Subject } from './subject.ts';

const SHORTEST_CHARS = 40;
/** A sign of Chinese, Japanese or Korean says about as much as three letters. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;

interface Aspect {
  readonly rule: string;
  readonly found: RegExp;
  readonly message: string;
  readonly fix: string;
}

/** What a description says besides what the tool does; known by the words that such sentences have. */
const ASPECTS: readonly Aspect[] = [
  {
    rule: 'description/when',
    found:
      /\b(?:use (?:it|this|when|whenever|for|to|before|after|if|only)|used? (?:when|for|to)|useful|call (?:it|this|when|before|after)|when (?:you|the user|asked|someone|a user|users|there|it)|whenever|ideal for|suitable for|good for|helps? (?:to|with|you)|for (?:any|every|all|questions|requests))\b|用于|用来|适用|适合|当.{0,40}时|需要.{0,40}时|使用|可以?用|いつ|とき|場合|ために/iu,
    message: 'does not say when to use the tool',
    fix: 'add a sentence such as "Use it when ..."',
  },
  {
    rule: 'description/when-not',
    found:
      /\b(?:not (?:for|to|when|if|meant|intended|suitable)|do(?:es)? not|don['’]t|doesn['’]t|can(?:not|['’]t)|never|avoid|instead|rather than|unless|except|only (?:for|works?|when|if|supports?)|won['’]t|no longer)\b|不(?:要|能|可|用于|适用|适合|支持|会)|勿|请勿|避免|除非|而不是|ではなく|しない|使わない/iu,
    message: 'does not say when not to use the tool, or what it can not do',
    fix: 'add a sentence such as "Not for ...", naming the tool that is',
  },
];

const EXAMPLE =
  /\b(?:examples?|e\.g\.|for instance|such as)\b|\{[^{}]*"[^"]+"\s*:|例如|比如|示例|例[:：]|たとえば/iu;

/** All that a model knows of a tool is its description: does it say what, when, when not, and how? */
export function checkDescription(subject: Subject): Finding[] {
  const { manifest } = subject;
  if (manifest === undefined) return [];
  const description = manifest.description.trim();
  const tell = (rule: string, message: string, fix: string): Finding =>
    findingAt(subject, '/description', {
      rule,
      level: 'warning',
      message: `the description ${message}`,
      fix,
    });
  if (description === '')
    return [
      tell(
        'description/missing',
        'is missing: a model chooses a tool by it',
        'say what the tool does, when to use it, when not, and give an example',
      ),
    ];
  const findings: Finding[] = [];
  if (weight(description) < SHORTEST_CHARS)
    findings.push(
      tell(
        'description/short',
        `has ${[...description].length} characters: too short to choose a tool by`,
        'say what it does, with what, and what comes back',
      ),
    );
  if (saysNothing(manifest.name, description))
    findings.push(
      tell(
        'description/what',
        "only repeats the tool's name",
        'say what it does, with what, and what comes back',
      ),
    );
  for (const { rule, found, message, fix } of ASPECTS)
    if (!found.test(description)) findings.push(tell(rule, message, fix));
  if (!EXAMPLE.test(description) && manifest.examples.length === 0)
    findings.push(
      tell(
        'description/example',
        'has no example, and "examples" is empty',
        'end it with one, such as: Example: {"city": "Oslo"}. Or add "examples", which check runs',
      ),
    );
  return [...findings, ...tooLong(description, tell)];
}

function tooLong(
  description: string,
  tell: (rule: string, message: string, fix: string) => Finding,
): Finding[] {
  const limits = TARGETS.flatMap((target) => {
    const { descriptionChars: most, title } = TARGET_RULES[target];
    return most !== undefined && description.length > most ? [{ most, title }] : [];
  });
  const [first] = limits;
  if (first === undefined) return [];
  const titles = limits.map(({ title }) => title).join(' and ');
  return [
    tell(
      'description/long',
      `has ${description.length} characters; ${titles} take ${first.most}, and the export moves the rest`,
      `shorten it to ${first.most} characters`,
    ),
  ];
}

function weight(text: string): number {
  return [...text].length + 2 * (text.match(WIDE)?.length ?? 0);
}

function saysNothing(name: string, description: string): boolean {
  const plain = (text: string) =>
    text.toLowerCase().replace(/\b(?:tool|function|the|a|an|this|is|plugin)\b|[^\p{L}\p{N}]/gu, '');
  const words = plain(description);
  const own = plain(name.split('.').at(-1) ?? name);
  return words === '' || words === own || words === `${own}s`;
}
