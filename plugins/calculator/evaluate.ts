import { closest, distance } from 'fastest-levenshtein';
import type {
  ArrayNode,
  AssignmentNode,
  BlockNode,
  ConditionalNode,
  ConstantNode,
  FunctionNode,
  MathNode,
  OperatorNode,
  ParenthesisNode,
  RangeNode,
  RelationalNode,
  SymbolNode,
} from 'mathjs/number';
import { CONSTANTS, FUNCTIONS, factorial, modulo } from './functions.ts';
import { Decimal, isList, toNumber, type Value } from './numbers.ts';
import { parse } from './parse.ts';

const MAX_RANGE = 10_000;

type Scope = Map<string, Value>;

export function evaluate(expression: string, scope: Scope): Value {
  return evaluateNode(parse(expression), scope);
}

// mathjs tells nodes apart by their `type` only, and its own types are no discriminated union: hence the casts.
function evaluateNode(node: MathNode, scope: Scope): Value {
  switch (node.type) {
    case 'ConstantNode':
      return ofConstant((node as ConstantNode).value);
    case 'ParenthesisNode':
      return evaluateNode((node as ParenthesisNode).content, scope);
    case 'SymbolNode':
      return ofSymbol((node as SymbolNode).name, scope);
    case 'OperatorNode':
      return ofOperator(node as OperatorNode, scope);
    case 'RelationalNode':
      return ofRelation(node as RelationalNode, scope);
    case 'FunctionNode':
      return ofFunction(node as FunctionNode, scope);
    case 'ArrayNode':
      return (node as ArrayNode).items.map((item) => evaluateNode(item, scope));
    case 'RangeNode':
      return ofRange(node as RangeNode, scope);
    case 'ConditionalNode': {
      const { condition, trueExpr, falseExpr } = node as ConditionalNode;
      return evaluateNode(isTrue(evaluateNode(condition, scope)) ? trueExpr : falseExpr, scope);
    }
    case 'AssignmentNode': {
      const { name, value } = node as AssignmentNode;
      scope.set(name, evaluateNode(value, scope));
      return ofSymbol(name, scope);
    }
    case 'BlockNode': {
      const values = (node as BlockNode).blocks.map((block) => evaluateNode(block.node, scope));
      const last = values.at(-1);
      if (last !== undefined) return last;
      throw new Error('The expression is empty.');
    }
    default:
      throw new Error(
        `"${node.toString()}" can't be calculated here: text, matrices, objects and own functions are not supported.`,
      );
  }
}

function ofConstant(value: unknown): Value {
  if (typeof value === 'boolean') return value;
  if (Decimal.isDecimal(value)) return value;
  // The parser itself puts in a plain 100 for a percentage.
  if (typeof value === 'number') return new Decimal(value);
  throw new Error(`"${String(value)}" is text; only numbers can be calculated.`);
}

function ofSymbol(name: string, scope: Scope): Value {
  const value = scope.get(name) ?? (Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined);
  if (value !== undefined) return value;
  if (Object.hasOwn(FUNCTIONS, name)) throw new Error(`${name} is a function: write ${name}(...).`);
  const known = [...scope.keys(), ...Object.keys(CONSTANTS)];
  throw new Error(
    `Unknown name "${name}".${guess(name, [...known, ...Object.keys(FUNCTIONS)])} Known names: ${known.join(', ')}. Give others in "variables".`,
  );
}

function ofFunction(node: FunctionNode, scope: Scope): Value {
  const { name } = node.fn as SymbolNode;
  const implementation = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!implementation) {
    const known = Object.keys(FUNCTIONS);
    throw new Error(`Unknown function "${name}".${guess(name, known)} Known functions: ${known.join(', ')}.`);
  }
  const values = node.args.map((argument) => evaluateNode(argument, scope));
  return real(implementation(values, name), node);
}

function ofOperator(node: OperatorNode, scope: Scope): Value {
  if (node.fn === 'to') throw new Error('Units are converted by the tool convert_units, not here.');
  const [left, right] = node.args.map((argument) => evaluateNode(argument, scope));
  const where = `"${node.op}"`;
  if (node.fn === 'not') return !isTrue(left);
  if (node.fn === 'factorial') return factorial(left, '"!"');
  if (node.fn === 'and') return isTrue(left) && isTrue(right);
  if (node.fn === 'or') return isTrue(left) || isTrue(right);
  const a = toNumber(left, where);
  if (node.fn === 'unaryMinus') return a.negated();
  if (node.fn === 'unaryPlus') return a;
  const b = toNumber(right, where);
  const comparison = compare(node.fn, a, b);
  if (comparison !== undefined) return comparison;
  return real(arithmetic(node, a, b), node);
}

function arithmetic(node: OperatorNode, a: Decimal, b: Decimal): Decimal {
  switch (node.fn) {
    case 'add':
      return a.plus(b);
    case 'subtract':
      return a.minus(b);
    case 'multiply':
      return a.times(b);
    case 'divide':
      if (b.isZero()) throw new Error(`Division by zero in "${node.toString()}".`);
      return a.dividedBy(b);
    case 'mod':
      return modulo(a, b);
    case 'pow':
      return a.pow(b);
    default:
      throw new Error(`The operator "${node.op}" is not supported. For units use convert_units.`);
  }
}

function compare(operator: string, a: Decimal, b: Decimal): boolean | undefined {
  switch (operator) {
    case 'equal':
      return a.equals(b);
    case 'unequal':
      return !a.equals(b);
    case 'smaller':
      return a.lessThan(b);
    case 'smallerEq':
      return a.lessThanOrEqualTo(b);
    case 'larger':
      return a.greaterThan(b);
    case 'largerEq':
      return a.greaterThanOrEqualTo(b);
    default:
      return undefined;
  }
}

/** `1 < x < 3` */
function ofRelation(node: RelationalNode, scope: Scope): boolean {
  const values = node.params.map((parameter) => toNumber(evaluateNode(parameter, scope), 'A comparison'));
  return node.conditionals.every((operator, index) => {
    const [a, b] = [values[index], values[index + 1]];
    return a !== undefined && b !== undefined && compare(operator, a, b) === true;
  });
}

function ofRange(node: RangeNode, scope: Scope): Value {
  const start = toNumber(evaluateNode(node.start, scope), 'A range');
  const end = toNumber(evaluateNode(node.end, scope), 'A range');
  const step = node.step ? toNumber(evaluateNode(node.step, scope), 'A range') : new Decimal(1);
  const length = end.minus(start).dividedBy(step).floor().plus(1);
  if (step.isZero() || length.greaterThan(MAX_RANGE)) {
    throw new Error(`The range "${node.toString()}" has more than ${MAX_RANGE} members.`);
  }
  return Array.from({ length: Math.max(0, length.toNumber()) }, (_, index) => start.plus(step.times(index)));
}

function isTrue(value: Value | undefined): boolean {
  if (value === undefined || isList(value)) throw new Error('A condition needs true, false or a number.');
  return typeof value === 'boolean' ? value : !value.isZero();
}

function real(value: Decimal, node: MathNode): Decimal {
  if (value.isNaN()) throw new Error(`"${node.toString()}" has no real value.`);
  if (!value.isFinite()) throw new Error(`"${node.toString()}" is infinite or too large to write.`);
  return value;
}

function guess(name: string, known: readonly string[]): string {
  const near = closest(name, [...known]);
  return distance(name.toLowerCase(), near.toLowerCase()) <= name.length / 3
    ? ` Did you mean "${near}"?`
    : '';
}
