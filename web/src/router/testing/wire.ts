/** The server's answers about a draft that is tested on messages, and about the path of one message. */
import type * as Schemas from '../../api/types';

/** Messages that took one way before, and take another way now. */
export type Outcome = Schemas.TestOutcome;
export type StepReport = Schemas.StepReport;
export type RouteReport = Schemas.RouteReport;
export type Volume = Schemas.Volume;
export type TargetReport = Schemas.TargetReport;
export type TestReport = Schemas.TestReport;
/** An answer without `end` is incomplete. */
export type TestLine = Schemas.TestLine;
export type PastedMessage = Schemas.Pasted;

export type TestRequest = {
  /** Either text or JSON. */
  document: unknown;
  from?: string;
  to?: string;
  timezone?: string;
  query?: string;
  messages?: readonly PastedMessage[];
  examples?: number;
  limit?: number;
  logspaces?: readonly string[];
};
