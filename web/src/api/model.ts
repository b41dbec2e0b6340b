/** The names that the console uses for the wire types; the shapes come from the generated types.ts. */
import type { components } from './types';

type Schemas = components['schemas'];

export type ProblemDetail = Schemas['Problem'];
export type DocumentProblem = Schemas['DocumentProblem'];
export type Session = Schemas['Session'];
export type SearchRequest = Schemas['SearchRequest'];
export type SearchResponse = Schemas['SearchResponse'];
export type CountResponse = Schemas['CountResponse'];
export type QueryWarning = Schemas['QueryWarning'];
export type Coverage = Schemas['Coverage'];
export type Message = Schemas['Message'];
export type LogspaceInfo = Schemas['LogspaceInfo'];
export type Validation = Schemas['Validation'];
export type Revision = Schemas['Revision'];
export type RouterChange = Schemas['RouterChange'];
export type RouterStatus = Schemas['RouterStatus'];
export type SourceStatus = Schemas['SourceStatus'];
export type DestinationStatus = Schemas['DestinationStatus'];
export type LogspaceStatus = Schemas['LogspaceStatus'];
