/** The console's names for the API types, whose definitions come from the generated types.ts. */
import type * as Schemas from './types';

/** A problem from the server, or one that the console describes in the same form. */
export type ProblemDetail = Omit<Schemas.Problem, 'type' | 'detail'> & {
  type?: Schemas.ProblemType;
  detail?: string;
};
/** The name of a problem, as docs/problems.md lists it. */
export type ProblemName = Named<Schemas.ProblemType>;
type Named<Type> = Type extends `urn:logstead:problem:${infer Name}` ? Name : never;
export type DocumentProblem = Schemas.DocumentProblem;
export type DocumentWarning = Schemas.DocumentWarning;
export type CreatedToken = Schemas.CreatedToken;
export type Session = Schemas.Session;
export type SearchRequest = Schemas.SearchRequest;
export type SearchResult = Schemas.SearchResult;
export type QueryWarning = Schemas.QueryWarning;
export type Coverage = Schemas.Coverage;
export type Histogram = Schemas.Histogram;
export type Facet = Schemas.Facet;
export type OverviewLine = Schemas.OverviewLine;
export type ExplainResult = Schemas.ExplainResult;
export type WrittenClause = Schemas.WrittenClause;
export type QueryEdit = Schemas.QueryEdit;
export type QueryResult = Schemas.QueryResult;
export type QueryTerm = Schemas.QueryTerm;
export type TermPart = Schemas.TermPart;
export type CompleteOption = Schemas.CompleteOption;
export type CompleteResult = Schemas.CompleteResult;
export type FacetsRequest = Schemas.FacetsRequest;
export type FieldsResult = Schemas.FieldsResult;
export type Message = Schemas.Message;
export type LogspaceInfo = Schemas.LogspaceInfo;
export type Validation = Schemas.Validation;
export type Revision = Schemas.Revision;
export type RouterChange = Schemas.RouterChange;
export type RouterStatus = Schemas.RouterStatus;
export type DestinationStatus = Schemas.DestinationStatus;
export type QueueLeft = Schemas.QueueLeft;
export type LogspaceStatus = Schemas.LogspaceStatus;

export type Senders = Schemas.SenderList;
export type Sender = Schemas.SenderRow;
export type SkewBin = Schemas.SkewBin;
export type SenderFrames = Schemas.SenderFrames;
export type SkippedSender = Schemas.SkippedRow;
export type SkippedPiece = Schemas.SkippedPiece;
export type SenderFrame = Schemas.SentFrame;

export type WireDocument = Schemas.Document;
/** The ledger of a time range, and its parts. */
export type Ledger = Schemas.Ledger;
export type LedgerCounts = Schemas.MessageFates;
export type LedgerRow = Schemas.SourceRow;
export type LedgerPoint = Schemas.LedgerPoint;
export type LedgerDestination = Schemas.DestinationRow;
export type LedgerStep = Schemas.LedgerStep;
export type WireDestination = Schemas.Destination;
export type TestAnswer = Schemas.TestAnswer;
export type ReplayLine = Schemas.ReplayLine;
/** The oldest messages of a queue or a quarantine, and their total number. */
export type WaitingMessages = Schemas.WaitingMessages;
