import { type Blob, type File, isBlob, isFile, rawFile } from './blob.ts';
import {
  aliasIterator,
  exposeInterface,
  isObject,
  pairIterators,
  requireArguments,
  toUSVString,
} from './webidl.ts';

export type FormDataValue = string | File;
export type FormDataEntry = readonly [name: string, value: FormDataValue];

/** Assigned inside the class, where its private fields are in scope. */
export let isFormData: (value: unknown) => value is FormData;
export let formDataEntries: (form: FormData) => FormDataEntry[];

export class FormData {
  #entries: FormDataEntry[] = [];

  constructor(form: unknown = undefined) {
    if (form !== undefined) throw new TypeError('FormData constructor: there are no HTML forms here.');
  }

  append(name: unknown, value: unknown, filename: unknown = undefined): void {
    requireArguments(arguments.length, 2, 'FormData.append');
    this.#entries.push(makeEntry(name, value, filename, arguments.length > 2));
  }

  delete(name: unknown): void {
    requireArguments(arguments.length, 1, 'FormData.delete');
    const wanted = toUSVString(name);
    this.#entries = this.#entries.filter(([other]) => other !== wanted);
  }

  get(name: unknown): FormDataValue | null {
    requireArguments(arguments.length, 1, 'FormData.get');
    const wanted = toUSVString(name);
    return this.#entries.find(([other]) => other === wanted)?.[1] ?? null;
  }

  getAll(name: unknown): FormDataValue[] {
    requireArguments(arguments.length, 1, 'FormData.getAll');
    const wanted = toUSVString(name);
    return this.#entries.filter(([other]) => other === wanted).map(([, value]) => value);
  }

  has(name: unknown): boolean {
    requireArguments(arguments.length, 1, 'FormData.has');
    const wanted = toUSVString(name);
    return this.#entries.some(([other]) => other === wanted);
  }

  set(name: unknown, value: unknown, filename: unknown = undefined): void {
    requireArguments(arguments.length, 2, 'FormData.set');
    const entry = makeEntry(name, value, filename, arguments.length > 2);
    const first = this.#entries.findIndex(([other]) => other === entry[0]);
    if (first < 0) this.#entries.push(entry);
    else {
      this.#entries[first] = entry;
      this.#entries = this.#entries.filter(([other], index) => index <= first || other !== entry[0]);
    }
  }

  entries(): IterableIterator<unknown> {
    return iterate(check(this), 'entry');
  }

  forEach(callback: unknown, thisArgument: unknown = undefined): void {
    check(this);
    requireArguments(arguments.length, 1, 'FormData.forEach');
    if (typeof callback !== 'function')
      throw new TypeError('FormData.forEach: parameter 1 is not a function.');
    for (let index = 0; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry !== undefined) Reflect.apply(callback, thisArgument, [entry[1], entry[0], this]);
    }
  }

  keys(): IterableIterator<unknown> {
    return iterate(check(this), 'key');
  }

  values(): IterableIterator<unknown> {
    return iterate(check(this), 'value');
  }

  static {
    isFormData = (value): value is FormData => isObject(value) && #entries in value;
    formDataEntries = (form) => form.#entries;
  }
}

exposeInterface('FormData', FormData);
aliasIterator(FormData, 'entries');
Object.defineProperty(FormData.prototype.append, 'length', { value: 2, configurable: true });
Object.defineProperty(FormData.prototype.set, 'length', { value: 2, configurable: true });

const iterate = pairIterators<FormData>('FormData', (form, index) => formDataEntries(form)[index]);

function check(value: FormData): FormData {
  if (!isFormData(value)) throw new TypeError('Illegal invocation');
  return value;
}

function makeEntry(name: unknown, value: unknown, filename: unknown, hasFilename: boolean): FormDataEntry {
  const entryName = toUSVString(name);
  if (!isBlob(value)) {
    if (hasFilename) throw new TypeError('FormData: parameter 2 is not of type Blob.');
    return [entryName, toUSVString(value)];
  }
  return [entryName, toFile(value, hasFilename ? toUSVString(filename) : undefined)];
}

function toFile(blob: Blob, filename: string | undefined): File {
  if (isFile(blob)) return filename === undefined ? blob : rawFile(blob, filename, blob.lastModified);
  return rawFile(blob, filename ?? 'blob', Date.now());
}
