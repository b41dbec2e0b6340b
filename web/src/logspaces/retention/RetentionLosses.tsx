/** The losses a retention causes: saved searches, and hosts and programs that lose their history. */
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { savedSearchesQuery } from '../../api/savedSearches';
import { PartLoadError } from '../../ui/PartLoadError';
import { formatShort } from '../../ui/number';
import { lossQuery } from '../queries';
import { lookingBack, lossesOf } from './cut';
import classes from './Retention.module.css';

const NAMED_MAX = 5;

export function RetentionLosses({ id, cut }: { id: string; cut: number }) {
  const [now] = useState(Date.now);
  const saved = useQuery(savedSearchesQuery);
  const gone = useQuery(lossQuery(id, new Date(cut).toISOString(), true));
  const all = useQuery(lossQuery(id, null, true));
  const further = lookingBack(saved.data ?? [], id, cut, now);
  const error = saved.error ?? gone.error ?? all.error;
  const losses = lossesOf(gone.data ?? {}, all.data ?? {});
  return (
    <div className={classes.missed}>
      <div className="flex gap8">
        <IconBookmark size={16} aria-hidden />
        <div>
          <b>{headOf(further.length)}</b>
          <p className="dimmed">{namesOf(further.map(({ name }) => name))}</p>
        </div>
      </div>
      {error !== null && (
        <PartLoadError
          what="The list of losses"
          error={error}
          onRetry={() => void gone.refetch()}
        />
      )}
      {losses.length > 0 && (
        <div className={classes.scroll} tabIndex={0} role="group" aria-label="Losses">
          <table>
            <thead>
              <tr>
                <th scope="col">Lost</th>
                <th scope="col">Messages</th>
                <th scope="col">Of its history</th>
              </tr>
            </thead>
            <tbody>
              {losses.map(({ field, value, messages, of, isAll }) => (
                <tr key={`${field} ${value}`}>
                  <th scope="row" title={value}>
                    {value} <span className="dimmed">{field}</span>
                  </th>
                  <td>{formatShort(messages)}</td>
                  <td className={isAll ? classes.all : undefined}>
                    {isAll ? 'all of it' : `${Math.round((100 * messages) / of)} %`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function headOf(count: number): string {
  if (count === 0) return 'No saved search looks further back';
  return count === 1
    ? '1 saved search looks further back'
    : `${count} saved searches look further back`;
}

function namesOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  const shown = names.slice(0, NAMED_MAX).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
