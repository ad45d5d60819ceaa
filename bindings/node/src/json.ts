//! What may be sent to the server, and why not.

/** Deepest nesting of arguments that the server reads, with room for the event around them. */
const DEEPEST = 100;

/** Longest line that the server reads, in bytes. */
const LONGEST_LINE = 32 << 20;

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Why a value is not JSON as it stands; undefined if it is. A tool would see more than the rules if, for example, a
 * `Map` were sent as `{}`.
 */
export function notJson(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return `nested deeper than ${DEEPEST} levels`;
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'a text with half of a surrogate pair';
    case 'number':
      return Number.isFinite(value) ? undefined : `the number ${value}`;
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'object':
      return value === null ? undefined : notJsonInside(value, depth);
    default:
      return `a ${typeof value}`;
  }
}

function notJsonInside(value: object, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || 'toJSON' in value) return `an object of class ${value.constructor?.name || 'without a name'}`;
  for (const [name, inner] of Object.entries(value)) {
    const problem = (name.isWellFormed() ? undefined : 'a name with half of a surrogate pair') ?? notJson(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * A result as JSON. Results of JavaScript tools have texts that were cut in the middle of a character, so those are
 * repaired as any UTF-8 encoder repairs them.
 *
 * @throws if the value refers to itself
 */
export function resultAsJson(value: unknown): unknown {
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'string') return inner.toWellFormed();
    return typeof inner === 'bigint' ? inner.toString() : inner;
  });
  return text === undefined ? null : JSON.parse(text);
}

/** The line of a request; throws if the server would not read it. */
export function line(request: Fields): string {
  const text = `${JSON.stringify(request)}\n`;
  if (Buffer.byteLength(text) > LONGEST_LINE) throw new Error(`the event is longer than ${LONGEST_LINE >> 20} MiB`);
  return text;
}
