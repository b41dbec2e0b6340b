/** The daily volume of each target now, and with the draft. */
import { Button } from '@mantine/core';
import { IconDatabase, IconSend2 } from '@tabler/icons-react';
import { useState } from 'react';
import type { LogspaceStatus } from '../../api/model';
import { formatBytes, formatCount } from '../../ui/number';
import { changeText, dailyVolumes, daysOf, diskChange, diskText, stretchText } from './volumes';
import type { TestedDraft } from './useTesting';
import type { TestReport } from './wire';
import classes from './Volumes.module.css';

type Props = {
  report: TestReport;
  tested: TestedDraft | null;
  logspaces: readonly LogspaceStatus[];
};

const SHOWN_MAX = 12;

export function Volumes({ report, tested, logspaces }: Props) {
  const [isWhole, setWhole] = useState(false);
  const days = daysOf(report, tested);
  const volumes = dailyVolumes(report.targets, days);
  const shown = isWhole ? volumes : volumes.slice(0, SHOWN_MAX);
  const change = diskChange(report.targets, days, logspaces);
  const disk = change === null ? '' : diskText(change);
  const most = Math.max(1, ...volumes.flatMap(({ before, after }) => [before, after]));
  const bar = (messages: number) => ({ width: `${(100 * messages) / most}%` });
  if (volumes.length === 0) return null;
  return (
    <section className="stack rigid panel round8" aria-label="Volume per target">
      <div className={classes.head}>
        <h2>Volume per target</h2>
        {days !== null && (
          <span className="dimmed">messages {stretchText(days)}, bytes a day at this rate</span>
        )}
        {disk !== '' && (
          <b data-tone={change !== null && change < 0 ? 'good' : 'caution'}>{disk}</b>
        )}
      </div>
      <div className={classes.scroll} tabIndex={0} role="group" aria-label="Targets">
        <table>
          <thead>
            <tr>
              <th scope="col">Target</th>
              <th scope="col">Now</th>
              <th scope="col">Draft</th>
              <td className={classes.bars} />
              <th scope="col">{days === null ? 'Bytes now' : 'Now a day'}</th>
              <th scope="col">{days === null ? 'Bytes draft' : 'Draft a day'}</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((volume) => {
              const { target, name, isLogspace, before, after, beforeBytes, afterBytes } = volume;
              return (
                <tr key={target}>
                  <th scope="row">
                    <span className={classes.target}>
                      {isLogspace ? (
                        <IconDatabase size={14} role="img" aria-label="Logspace" />
                      ) : (
                        <IconSend2 size={14} role="img" aria-label="Destination" />
                      )}
                      <span title={name}>{name}</span>
                    </span>
                  </th>
                  <td className="dimmed">{formatCount(before)}</td>
                  <td>{formatCount(after)}</td>
                  <td className={classes.bars} aria-hidden="true">
                    <span className={classes.bar} data-now="true" style={bar(before)} />
                    <span className={classes.bar} style={bar(after)} />
                  </td>
                  <td className="dimmed">{formatBytes(beforeBytes)}</td>
                  <td>{formatBytes(afterBytes)}</td>
                  <td className={classes.change} data-way={Math.sign(afterBytes - beforeBytes)}>
                    {changeText(beforeBytes, afterBytes)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {shown.length < volumes.length && (
        <Button variant="subtle" onClick={() => setWhole(true)}>
          Show {volumes.length - shown.length} more targets
        </Button>
      )}
    </section>
  );
}
