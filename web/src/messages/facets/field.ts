/** The props that all parts of a field in the sidebar share. */
import type { Facet, QueryEdit } from '../../api/model';
import type { MessageState } from '../messageState';
import type { Choice } from './choice';

/** The actions of the sidebar on the search. */
export type SidebarActions = {
  /** Changes the query and asks it. */
  onEdit: (edits: readonly QueryEdit[]) => void;
  /** Shows the same in another way. */
  onChange: (part: Partial<MessageState>) => void;
};

/** The props of the sidebar. */
export type FacetsProps = SidebarActions & {
  state: MessageState;
  facets: Record<string, Facet> | undefined;
  /** Whether they are of the question before, while this one is worked on. */
  stale?: boolean;
  /** Why there are none. */
  error: Error | null;
  onRetry: () => void;
};

export type FieldProps = SidebarActions & {
  state: MessageState;
  field: string;
  choice: Choice;
};
