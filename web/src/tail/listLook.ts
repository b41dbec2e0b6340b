/** How all tails of the page show their rows. */
import type { Looked } from '../messages/asked';

export type ListLook = Pick<Looked, 'view' | 'columns' | 'open'> & {
  wrap: boolean;
  onColumns: (columns: string[]) => void;
};
