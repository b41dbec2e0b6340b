/** Whether the sources are to blame: when each of them was last heard of. */
import { useQuery } from '@tanstack/react-query';
import { formatAge } from '../../ui/time';
import { sourcesQuery } from './emptyQueries';
import classes from './Empty.module.css';

const SOURCES_MAX = 8;

export function SourceHealth() {
  const { data, dataUpdatedAt } = useQuery(sourcesQuery);
  if (data === undefined || data.length === 0) return null;
  return (
    <ul className={classes.sources} aria-label="Sources">
      {data.slice(0, SOURCES_MAX).map(({ id, last_seen: seen, last_error: error }) => (
        <li key={id}>
          <strong>{id}</strong>{' '}
          {seen == null ? 'has never sent anything' : `last sent ${formatAge(seen, dataUpdatedAt)}`}
          {error != null && `; ${error}`}
        </li>
      ))}
      {data.length > SOURCES_MAX && <li>{data.length - SOURCES_MAX} others</li>}
    </ul>
  );
}
