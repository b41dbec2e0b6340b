/** What every part of a field in the sidebar is given. */
import type { SearchState } from '../searchParams';

export type FieldProps = {
  state: SearchState;
  field: string;
  total: number | undefined;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};
