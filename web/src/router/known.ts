/** The document that is shown, with its traffic and its problems. */
import type { DocumentProblem, DocumentWarning, RouterStatus } from '../api/model';
import type { MeasuredRates } from './canvas/measure';
import type { Shares } from './canvas/shares';
import type { RouterDocument } from './document';

export type KnownDocument = {
  document: RouterDocument;
  /** The live document that the draft is based on. */
  live: RouterDocument;
  status: RouterStatus | undefined;
  shares: Shares;
  measured: MeasuredRates | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly DocumentWarning[];
};
