/** The hosts or programs that fill a logspace, and how that changes. */
import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LogspaceInfo } from '../../api/model';
import { PartLoadError } from '../../ui/PartLoadError';
import { formatBytes } from '../../ui/number';
import { signed } from '../Card';
import { messageBytes } from '../growth/growth';
import { type FillField, fillFields } from '../logspacesParams';
import { fillsQuery } from '../queries';
import { fillRows } from './fillRows';
import classes from '../Logspaces.module.css';

type Props = { info: LogspaceInfo; by: FillField; onBy: (by: FillField) => void };

const NOTABLE_PERCENT = 25;

export function FillTable({ info, by, onBy }: Props) {
  const { data, error, refetch, isPlaceholderData } = useQuery(fillsQuery(info.id, by));
  const rows = data === undefined ? [] : fillRows(data);
  const most = Math.max(...rows.map(({ count }) => count), 1);
  const each = messageBytes(info);
  return (
    <section className="minWidth0 panel round10" aria-label={`What fills ${info.id}`}>
      <div className={classes.boxHead}>
        <h2>What fills {info.id}</h2>
        <SegmentedControl
          aria-label="Listed by"
          value={by}
          data={[
            { value: 'host', label: 'Host' },
            { value: 'program', label: 'Program' },
          ]}
          onChange={(value) => onBy(fillFields.find((field) => field === value) ?? by)}
        />
      </div>
      {error !== null && (
        <div className={classes.boxBody}>
          <PartLoadError what={`The ${by}s`} error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && (
        <div className={classes.boxBody} role="status" aria-label="Loading">
          <Skeleton height={200} />
        </div>
      )}
      {data !== undefined && rows.length === 0 && (
        <p className={classes.none}>No message in it names a {by}.</p>
      )}
      {rows.length > 0 && (
        <div
          className={classes.scroll}
          data-old={isPlaceholderData}
          tabIndex={0}
          role="group"
          aria-label={`The fullest ${by}s`}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">{by === 'host' ? 'Host' : 'Program'}</th>
                <th scope="col">
                  <span className="unseen">Share</span>
                </th>
                <th scope="col" title="by the number of messages">
                  About
                </th>
                <th scope="col" title="compared with the seven days before">
                  7 days
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ value, count, change }) => (
                <tr key={value}>
                  <th scope="row" title={value}>
                    {value}
                  </th>
                  <td className={classes.trackCell}>
                    <span className={classes.track} aria-hidden>
                      <span style={{ width: `${(100 * count) / most}%` }} />
                    </span>
                  </td>
                  <td>{formatBytes(Math.round(count * each))}</td>
                  <td data-tone={change !== null && change > NOTABLE_PERCENT ? 'warn' : undefined}>
                    {change === null ? '–' : signed(change)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
