/** What the server says about a draft that is tried on messages, and about one message on its way. */
import type * as Schemas from '../../api/types';

export type Example = Schemas.TestExample;
/** Messages that went one way before and go another one now. */
export type Outcome = Schemas.TestOutcome;
export type StepReport = Schemas.StepReport;
export type RouteReport = Schemas.RouteReport;
export type Volume = Schemas.Volume;
export type TargetReport = Schemas.TargetReport;
export type TestReport = Schemas.TestReport;
/** An answer without `end` was broken off. */
export type TestLine = Schemas.TestLine;
export type PastedMessage = Schemas.Pasted;

export type TestRequest = {
  /** As text, or as JSON. */
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
