import type { JsonProblem } from '../arguments/parse-arguments.ts';
import type { JsonExpectation } from '../arguments/scan-json.ts';
import type { Catalogue, MessageFacts } from './catalogue.ts';
import { describeIssueInChinese } from './zh-issue.ts';
import { unwritableInChinese } from './zh-unwritable.ts';

export const CHINESE: Catalogue = {
  prefix: '错误：',
  errors: {
    unknown_tool: {
      message: ({ tool }) => `没有名为“${tool}”的工具。`,
      hint: ({ suggestions, visible, hidden }) => {
        const meant =
          suggestions.length > 0 ? `是否想用${suggestions.map((name) => `“${name}”`).join('或')}？` : '';
        if (visible.length === 0) return `${meant}此处没有可调用的工具。`;
        if (hidden > 0) return `${meant}请按准确名称调用已提供的工具。`;
        return `${meant}可用的工具：${visible.join('、')}。`;
      },
    },
    malformed_arguments: {
      message: ({ tool, problem }) =>
        `“${tool}”的参数不是合法的 JSON（${describeJsonProblem(problem)}），调用未执行。`,
      hint: () => '请只发送一个 JSON 对象：键和文本用双引号，末尾不加逗号，不写注释，前后不加其他内容。',
    },
    truncated_arguments: {
      message: ({ tool }) => `“${tool}”的参数在结束之前被截断，调用未执行。`,
      hint: () => '文本提前中断，尚未检查任何字段。请缩短参数后重新发送完整的调用，或分多次调用完成。',
    },
    invalid_arguments: {
      message: ({ tool }) => `“${tool}”的参数不符合要求，调用未执行。`,
      hint: () => '请改正所列各项后重新调用，其余保持不变。',
    },
    not_approved: {
      message: ({ tool, reason, detail }) =>
        reason === 'refused'
          ? `对“${tool}”的调用被拒绝，未执行${colon(detail)}${stop(detail)}`
          : `对“${tool}”的调用未能及时获得批准，未执行。`,
      hint: ({ reason }) =>
        reason === 'refused'
          ? '不要为此再次调用；请询问用户希望怎么做。'
          : '请告诉用户该调用正在等待批准，得到同意后再调用。',
    },
    permission_denied: {
      message: ({ tool, detail }) => `“${tool}”没有执行该操作的权限${colon(detail)}${stop(detail)}`,
      hint: () => '请改用允许的目标，或告诉用户缺少哪项权限；只有用户可以授予。',
    },
    tool_error: {
      message: ({ tool, kind, detail, at }) =>
        `${TOOL_ERROR[kind](tool)}${place(at)}${detail || kind !== 'unknown' ? colon(detail) : '，未说明原因'}${stop(detail)}`,
      hint: ({ kind, detail }) => (detail || kind !== 'unknown' ? TOOL_ERROR_HINT[kind] : NO_REASON_HINT),
    },
    not_found: {
      message: ({ tool, detail, at }) =>
        `“${tool}”没有找到所请求的内容${place(at)}${colon(detail)}${stop(detail)}`,
      hint: () => '请检查参数中的名称、标识或路径；如果有工具可以列出现有内容，请先查询。',
    },
    invalid_result: {
      message: ({ tool, kind, detail, path }) =>
        kind === 'mismatch'
          ? `“${tool}”已执行，但返回的结果不符合它声明的格式。`
          : `“${tool}”已执行，但返回的结果${path ? `在 ${path} 处` : ''}无法写成 JSON${colon(unwritableInChinese(detail))}${stop(detail)}`,
      hint: () =>
        '这是工具的问题，不是调用的问题。它的操作可能已经完成：不要盲目重复，请在没有该结果的情况下继续。',
    },
    timeout: {
      message: ({ tool, limit, detail }) =>
        `“${tool}”已被停止：运行时间超过 ${duration(limit)}${colon(detail)}${stop(detail)}`,
      hint: () => '请每次少要一些（缩小范围、减少条目），或不依赖它继续。',
    },
    cpu_limit: {
      message: ({ tool, limit, detail }) =>
        `“${tool}”已被停止：计算时间超过 ${duration(limit)}${colon(detail)}${stop(detail)}`,
      hint: () => '请减少要处理的内容：更小的输入、更简单的模式或表达式。',
    },
    memory_limit: {
      message: ({ tool, limit, detail, at }) =>
        `“${tool}”已被停止${place(at)}：内存使用超过 ${limit} MB${colon(detail)}${stop(detail)}`,
      hint: () => '请减少要处理的内容，或把输入分到多次调用中。',
    },
    output_limit: {
      message: ({ tool, detail, resultBytes, logBytes }) => {
        const allowed = `结果 ${size(resultBytes)}${logBytes === undefined ? '' : `，日志 ${size(logBytes)}`}`;
        return `“${tool}”已被停止：输出超过了允许的大小${colon(detail || allowed)}${stop(detail)}`;
      },
      hint: () =>
        '请每次少要一些：加上筛选、缩小范围、减少字段。如果仍然无效，请不依赖它继续，并告诉用户这项限制。',
    },
    host_call_limit: {
      message: ({ tool, limit, detail }) =>
        `“${tool}”已被停止：一次调用中向宿主发出的请求超过 ${limit} 次${colon(detail)}${stop(detail)}`,
      hint: () => '请每次少要一些：减少一次调用中的条目。',
    },
    cancelled: {
      message: ({ tool, started }) =>
        started ? `对“${tool}”的调用在执行中被取消。` : `对“${tool}”的调用在执行前被取消。`,
      hint: ({ started }) =>
        started ? '部分操作可能已经完成。除非用户要求，否则不要重复。' : '除非用户要求，否则不要重复。',
    },
    busy: {
      message: ({ tool, detail }) =>
        `“${tool}”等待中的调用过多，本次调用未执行${colon(detail)}${stop(detail)}`,
      hint: () => '请稍后再调用，并减少同时发出的调用。',
    },
    plugin_unavailable: {
      message: ({ tool, detail }) => `“${tool}”目前无法调用${colon(detail)}${stop(detail)}`,
      hint: () => '请改用其他工具或告诉用户；插件重新加载后即可使用。',
    },
    quarantined: {
      message: ({ tool, detail }) => `“${tool}”因反复崩溃已被停用${colon(detail)}${stop(detail)}`,
      hint: () => '不要再次调用；请改用其他工具或告诉用户。修改或解除隔离后它会恢复。',
    },
    sandbox_crashed: {
      message: ({ tool, started, detail }) =>
        started
          ? `运行“${tool}”的进程在调用期间崩溃，无法确定操作是否已完成${colon(detail)}${stop(detail)}`
          : `“${tool}”的进程在调用开始前崩溃${colon(detail)}${stop(detail)}`,
      hint: ({ started }) =>
        started ? '重复之前请先确认它是否已经生效。' : '没有执行任何操作，可以重新发送该调用。',
    },
    internal: {
      message: ({ tool }) => `处理对“${tool}”的调用时，工具运行时本身发生故障。`,
      hint: () => '这是运行时的问题，不是调用的问题。请不依赖它继续并告诉用户；原因记录在运行时日志中。',
    },
  },
  issue: describeIssueInChinese,
  moreIssues: (count) => `另有 ${count} 项`,
  argumentProblem: (problem, path) => {
    switch (problem.kind) {
      case 'not_an_object':
        return `参数必须是一个 JSON 对象，例如 {"name": "value"}，而不是${TYPE_NAMES[problem.received]}。`;
      case 'encoded_again':
        return '参数被重复编码为 JSON 文本；请直接发送对象本身。';
      case 'too_long':
        return `参数超过 ${problem.limit} 个字符。`;
      case 'too_deep':
        return `参数的嵌套超过 ${problem.limit} 层。`;
      case 'duplicate_key':
        return `键 ${JSON.stringify(problem.key)} 在同一个对象中出现了两次；请只保留需要的一个。`;
      case 'forbidden_key':
        return `${path}：不允许使用键“__proto__”。`;
      case 'number_too_large':
        return `${path}：数字过大，无法表示。`;
      case 'not_json':
        return `${path === '' ? '参数' : path} 含有 JSON 无法表示的值。`;
    }
  },
  repair: (kind, path) => {
    const at = path === '' ? '参数' : path;
    switch (kind) {
      case 'empty_arguments':
        return '没有提供参数，已使用 {}。';
      case 'double_encoded':
        return '参数是放在 JSON 字符串中的 JSON 文本，已读取其内容。';
      case 'parsed_json_string':
        return `${at}：已将 JSON 文本读取为它所描述的值。`;
      case 'numeral_to_number':
        return `${at}：已将文本读取为它所写的数字。`;
      case 'text_to_boolean':
        return `${at}：已将文本读取为 true 或 false。`;
      case 'dropped_null':
        return `${at}：已将 null 视为“未提供”。`;
    }
  },
  repeated: (count) => `完全相同的调用已失败 ${count} 次。不作改变就会再次失败：请修改参数或换一种做法。`,
  notRunAgain: (count) =>
    `完全相同的调用已失败 ${count} 次，因此未再执行。请停止重复：修改参数、改用其他工具，或告诉用户哪里行不通。`,
  example: (json) => `最小的有效调用参数：${json}`,
  noValue: '已完成。该工具没有返回值。',
  leftOut: (omitted, total, handle, from) => {
    const rest =
      handle === undefined ? '' : `；用 read_more {"handle": "${handle}", "offset": ${from}} 继续阅读`;
    return `[…… 共 ${total} 个字符，略去 ${omitted} 个${rest} ……]`;
  },
  page: ({ from, to, total, handle }) =>
    `[第 ${from} 至 ${to} 个字符，共 ${total} 个；用 read_more {"handle": "${handle}", "offset": ${to}} 继续阅读]`,
  lastPage: ({ from, to, total }) => `[第 ${from} 至 ${to} 个字符，共 ${total} 个；已到末尾]`,
  noSuchText: '该句柄下没有保存的文本：可能已过期，或属于其他会话。请重新调用工具以获取新的结果。',
  noSuchOffset: (total) => `偏移量超出末尾：文本共 ${total} 个字符，最大偏移量为 ${Math.max(0, total - 1)}。`,
  part: (kind, mimeType, bytes, name) =>
    `[${kind === 'image' ? '图片' : '文件'}${name === undefined ? '' : ` ${name}`}：${mimeType}，${bytes} 字节]`,
};

const TOOL_ERROR: Readonly<Record<MessageFacts['tool_error']['kind'], (tool: string) => string>> = {
  permission: (tool) => `“${tool}”报告访问被拒绝`,
  timeout: (tool) => `“${tool}”报告它等待的操作耗时过长`,
  invalid_value: (tool) => `“${tool}”无法使用收到的某个值`,
  network: (tool) => `“${tool}”无法连接所需的服务器`,
  unknown: (tool) => `“${tool}”执行失败`,
};

const TOOL_ERROR_HINT: Readonly<Record<MessageFacts['tool_error']['kind'], string>> = {
  permission: '工具背后的服务或文件拒绝了访问。请改用它可以访问的目标，或告诉用户。',
  timeout: '请再试一次，或每次少要一些。',
  invalid_value: '请对照工具说明检查参数中的值，修改后重新调用。',
  network: '稍后可能恢复：请再试一次，然后不依赖它继续。',
  unknown: '请阅读错误内容；如果是参数造成的请修改参数，不要重复相同的调用。',
};

const NO_REASON_HINT =
  '没有任何线索：请换一组参数再试一次；如果仍然失败，请不依赖它继续，并告诉用户需要由该工具的作者查明原因。';

const EXPECTED: Readonly<Record<JsonExpectation, string>> = {
  value: '此处应为一个值',
  key: '此处应为双引号中的键',
  key_or_end: '此处应为双引号中的键或 }',
  colon: '键之后应为冒号',
  comma_or_end: '此处应为逗号或右括号',
  end_of_text: '文本应在此结束',
  escape: 'JSON 中没有这种反斜杠转义',
  control_character: '文本中的换行或控制字符必须写成 \\n 或 \\u',
  number: '这不是 JSON 数字',
  literal: '此处应为 true、false 或 null',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  null: ' null',
  boolean: '布尔值',
  integer: '数字',
  number: '数字',
  string: '文本',
  array: '数组',
  object: '对象',
};

function describeJsonProblem({ line, column, expected, found }: JsonProblem): string {
  const what = found === '' ? '' : `，实际为 ${JSON.stringify(found)}`;
  return `第 ${line} 行第 ${column} 列：${EXPECTED[expected]}${what}`;
}

function colon(detail: string | undefined): string {
  return detail === undefined || detail === '' ? '' : `：${detail}`;
}

/** The full stop, unless the quoted text brought its own. */
function stop(detail: string | undefined): string {
  return detail !== undefined && /[。！？….!?]$/.test(detail) ? '' : '。';
}

function place(at: string | undefined): string {
  return at === undefined ? '' : `（${at}）`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} 毫秒` : `${milliseconds / 1_000} 秒`;
}

function size(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes} 字节`;
}
