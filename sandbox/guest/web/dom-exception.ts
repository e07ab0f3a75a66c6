import { exposeInterface, toDOMString } from './webidl.ts';

const CODES: Readonly<Record<string, number>> = {
  IndexSizeError: 1,
  HierarchyRequestError: 3,
  WrongDocumentError: 4,
  InvalidCharacterError: 5,
  NoModificationAllowedError: 7,
  NotFoundError: 8,
  NotSupportedError: 9,
  InUseAttributeError: 10,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidModificationError: 13,
  NamespaceError: 14,
  InvalidAccessError: 15,
  TypeMismatchError: 17,
  SecurityError: 18,
  NetworkError: 19,
  AbortError: 20,
  URLMismatchError: 21,
  QuotaExceededError: 22,
  TimeoutError: 23,
  InvalidNodeTypeError: 24,
  DataCloneError: 25,
};

/** Brand check; assigned inside the class, where its private fields are in scope. */
export let isDOMException: (value: unknown) => value is DOMException;

export class DOMException {
  readonly #message: string;
  readonly #name: string;
  declare readonly stack: string;

  constructor(message: unknown = '', name: unknown = 'Error') {
    this.#message = toDOMString(message);
    this.#name = toDOMString(name);
    Error.captureStackTrace(this, new.target);
  }

  get name(): string {
    return this.#name;
  }

  get message(): string {
    return this.#message;
  }

  get code(): number {
    return Object.hasOwn(CODES, this.#name) ? (CODES[this.#name] ?? 0) : 0;
  }

  static {
    isDOMException = (value): value is DOMException =>
      typeof value === 'object' && value !== null && #name in value;
  }
}

exposeInterface('DOMException', DOMException, {
  constants: {
    INDEX_SIZE_ERR: 1,
    DOMSTRING_SIZE_ERR: 2,
    HIERARCHY_REQUEST_ERR: 3,
    WRONG_DOCUMENT_ERR: 4,
    INVALID_CHARACTER_ERR: 5,
    NO_DATA_ALLOWED_ERR: 6,
    NO_MODIFICATION_ALLOWED_ERR: 7,
    NOT_FOUND_ERR: 8,
    NOT_SUPPORTED_ERR: 9,
    INUSE_ATTRIBUTE_ERR: 10,
    INVALID_STATE_ERR: 11,
    SYNTAX_ERR: 12,
    INVALID_MODIFICATION_ERR: 13,
    NAMESPACE_ERR: 14,
    INVALID_ACCESS_ERR: 15,
    VALIDATION_ERR: 16,
    TYPE_MISMATCH_ERR: 17,
    SECURITY_ERR: 18,
    NETWORK_ERR: 19,
    ABORT_ERR: 20,
    URL_MISMATCH_ERR: 21,
    QUOTA_EXCEEDED_ERR: 22,
    TIMEOUT_ERR: 23,
    INVALID_NODE_TYPE_ERR: 24,
    DATA_CLONE_ERR: 25,
  },
});
Object.setPrototypeOf(DOMException.prototype, Error.prototype);
