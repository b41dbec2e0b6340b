/** Messages as they arrive. */
import { Empty } from '../ui/Empty';
import type { TailState } from './tailParams';

type Props = { state: TailState; onChange: (state: TailState, replace?: boolean) => void };

export function TailPage({ state }: Props) {
  return (
    <Empty isPage title="Tail">
      <p>{state.query === '' ? 'All messages.' : state.query}</p>
    </Empty>
  );
}
