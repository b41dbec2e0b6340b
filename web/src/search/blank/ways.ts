/** The ways from an answer to its messages. */
import type { QueryEdit } from '../../api/model';
import type { SearchState } from '../searchParams';

/** Asks for what the edits make of an empty query. */
export type Go = (...edits: readonly QueryEdit[]) => void;

export type AnswerProps = { state: SearchState; go: Go };

/** Rows of an answer, and of a list of searches. */
export const ROWS = 4;
