/** The findings about the draft before it is applied, each with a fix. */
import { Anchor, Button } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import type { Finding } from './findings';
import classes from './Findings.module.css';

/**
 * The maximum number of findings that are shown: more would push the content below them out of
 * sight.
 */
const SHOWN_MAX = 3;

type Props = {
  findings: readonly Finding[];
  /** Whether the draft is still the one that was tested. */
  isCurrent: boolean;
  isRunning: boolean;
  /** Whether only some of the messages were tested. */
  isNarrow: boolean;
  onFix: (finding: Finding) => void;
  onShow: (finding: Finding) => void;
  onCell: (place: { row: string; column: string }) => void;
};

export function Findings(props: Props) {
  const { findings, isCurrent, isRunning, isNarrow, onFix, onShow, onCell } = props;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? findings : findings.slice(0, SHOWN_MAX);
  return (
    <section className={classes.findings} aria-label="Findings">
      <h2>{titleOf(findings.length)}</h2>
      {findings.length === 0 && (
        <p className="row gap8 marginTop4 good">
          <IconCircleCheck size={16} aria-hidden />
          {noneText(isRunning, isNarrow)}
        </p>
      )}
      <ul>
        {shown.map((finding) => (
          <li key={finding.id} className={classes.finding} data-tone={finding.tone}>
            {finding.tone === 'error' ? (
              <IconAlertOctagon size={16} role="img" aria-label="Serious" />
            ) : (
              <IconAlertTriangle size={16} role="img" aria-label="Caution" />
            )}
            <div>
              <p>
                <b>{finding.title}</b> {finding.text}
              </p>
              <div className={classes.ways}>
                {finding.fix !== null && isCurrent && (
                  <Button onClick={() => onFix(finding)}>{finding.fix.label}</Button>
                )}
                <span className="flex gap12">
                  {finding.place !== null && isCurrent && (
                    <Anchor component="button" type="button" onClick={() => onShow(finding)}>
                      {finding.place.step === null ? 'Open route' : 'Open step'}
                    </Anchor>
                  )}
                  {finding.cell !== null && (
                    <Anchor
                      component="button"
                      type="button"
                      onClick={() => {
                        if (finding.cell !== null) onCell(finding.cell);
                      }}
                    >
                      Examples
                    </Anchor>
                  )}
                </span>
              </div>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < findings.length && (
        <Button variant="subtle" onClick={() => setWhole(true)}>
          Show {findings.length - shown.length} more
        </Button>
      )}
    </section>
  );
}

function noneText(isRunning: boolean, isNarrow: boolean): string {
  if (isRunning) return 'Nothing to worry about so far.';
  return isNarrow
    ? 'None of these messages is lost. Others were not tried.'
    : 'No message is lost, and every route takes some.';
}

export function titleOf(count: number): string {
  if (count === 0) return 'No findings';
  return count === 1 ? '1 finding' : `${count} findings`;
}
