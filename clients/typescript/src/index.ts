export { Logstead } from './client.js';
export type { ExportAsked, ExportedMessage, IngestOptions, SearchAsked } from './client.js';
export { ConnectionFailed, IncompleteAnswer, LogsteadError, Problem } from './errors.js';
export type { Answer, Asked, LogsteadOptions, OperationName, RetryOptions } from './transport.js';
export { Tail } from './tail.js';
export type { Loss, TailAsked, TailOptions } from './tail.js';
export type * from './api.js';
