// Generated from schema.json by glovebox; edit that instead.

export interface Arguments {
/**
 * The calls, in order.
 * 
 * @minItems 1
 * @maxItems 20
 */
steps: [{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]|[{
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}, {
/**
 * Name under which later steps find this result; step1, step2, ... when absent.
 */
id?: string
/**
 * Name of the tool.
 */
tool: string
/**
 * Its arguments; {{$.id.key[0]}} refers to an earlier result, [*] takes all of a list.
 */
arguments?: {

}
}]
/**
 * What to return, with references like those of arguments. Without it: what the last step gave.
 */
result?: (string | {

} | unknown[])
}

/** The second argument of the plugin's function. */
export interface Context {
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
  /** The caller's session, if it has one. */
  readonly session: string | undefined;
  /** Tells the caller how far the work is. */
  progress(value: unknown): void;
  readonly log: {
    debug(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  };
  readonly tools: { call(name: string, args?: unknown): Promise<unknown> };
  readonly storage: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<boolean>;
    keys(prefix?: string): Promise<string[]>;
  };
}
