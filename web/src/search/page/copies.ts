/** Says that messages were counted once for each logspace that has them. */
import { formatCount } from '../../ui/number';

/** `copies` is what is known of the messages that are loaded; only of all of them is it an exact number. */
export function copiesText(copies: number, hasMore: boolean): string | null {
  if (copies === 0) return null;
  if (hasMore) return 'copies included';
  return copies === 1 ? '1 of them a copy' : `${formatCount(copies)} of them copies`;
}
