/** Searches to begin with: those that were saved, and those that were run here before. */
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { noteUse, savedSearchesQuery } from '../../api/savedSearches';
import { useQueryHistory } from '../../ui/query/history';
import { opened } from '../saved/saved';
import type { SearchState } from '../searchParams';
import { ROWS } from './Card';
import classes from './Blank.module.css';

type Props = { state: SearchState; onAsk: (part: Partial<SearchState>) => void };

export function RecentSearches({ state, onAsk }: Props) {
  const { data: saved = [] } = useQuery(savedSearchesQuery);
  const [recent] = useQueryHistory();
  return (
    <div className={classes.lists}>
      {saved.length > 0 && (
        <section className={classes.list} aria-label="Saved searches">
          <h2>Saved searches</h2>
          <ul>
            {saved.slice(0, ROWS).map((search) => (
              <li key={search.id}>
                <UnstyledButton
                  className={classes.past}
                  onClick={() => {
                    noteUse(search.id);
                    onAsk(opened(search, state));
                  }}
                >
                  <span>{search.name}</span>
                  <code>{search.query}</code>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
      {recent.length > 0 && (
        <section className={classes.list} aria-label="Recent queries">
          <h2>Recent</h2>
          <ul>
            {recent.slice(0, ROWS).map((query) => (
              <li key={query}>
                <UnstyledButton className={classes.past} onClick={() => onAsk({ query })}>
                  <code>{query}</code>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
