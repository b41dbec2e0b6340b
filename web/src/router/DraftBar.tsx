/** Which revision is live, how the draft differs from it, and what can be done with the draft. */
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { RouterChange, Validation } from '../api/model';
import { Notice } from '../ui/Notice';
import { formatTime, useZone } from '../ui/time';
import { ApplyDialog } from './ApplyDialog';
import { DiffDialog } from './DiffDialog';
import type { Draft } from './draft';
import type { Live } from './queries';
import classes from './DraftBar.module.css';
import list from './ProblemList.module.css';

type Props = {
  live: Live;
  draft: Draft | null;
  validation: Validation | undefined;
  appliedAt: string | undefined;
  canEdit: boolean;
  onValidate: () => void;
  onChange: (draft: Draft | null) => void;
};

export function DraftBar(props: Props) {
  const { live, draft, validation, appliedAt, canEdit, onValidate, onChange } = props;
  const [zone] = useZone();
  const [applying, apply] = useDisclosure(false);
  const [comparing, compare] = useDisclosure(false);
  const [applied, setApplied] = useState<RouterChange | null>(null);
  const hasProblems = (validation?.problems.length ?? 0) > 0;
  const finish = (change: RouterChange) => {
    apply.close();
    setApplied(change);
    onChange(null);
  };
  return (
    <>
      <section className={classes.bar} aria-label="Draft" data-changed={draft !== null}>
        <div className={classes.state}>
          <span className={classes.revision}>Revision {live.revision}, live</span>
          {draft === null ? (
            appliedAt !== undefined && (
              <span className="dimmed">since {formatTime(appliedAt, zone).slice(0, 19)}</span>
            )
          ) : (
            <DraftState validation={validation} />
          )}
        </div>
        {canEdit ? (
          <div className={classes.actions}>
            <Button variant="default" disabled={draft === null} onClick={onValidate}>
              Validate
            </Button>
            <Button variant="default" disabled={draft === null} onClick={compare.open}>
              Diff
            </Button>
            <Button variant="default" disabled={draft === null} onClick={() => onChange(null)}>
              Discard
            </Button>
            <Button disabled={draft === null || hasProblems} onClick={apply.open}>
              Apply
            </Button>
          </div>
        ) : (
          <span className="dimmed">Changing the router needs the operator or admin role.</span>
        )}
      </section>
      {draft !== null && draft.base !== live.revision && (
        <Notice tone="caution" title={`Revision ${live.revision} went live after this draft began`}>
          The draft is based on revision {draft.base}. Look at the Diff before you apply it, or
          discard it and start from what is live.
        </Notice>
      )}
      {draft !== null && validation !== undefined && validation.warnings.length > 0 && (
        <Warnings warnings={validation.warnings} />
      )}
      {draft === null && applied !== null && applied.revision === live.revision && (
        <Applied change={applied} />
      )}
      {draft !== null && (
        <>
          <ApplyDialog
            opened={applying}
            draft={draft}
            live={live}
            validation={validation}
            onClose={apply.close}
            onApplied={finish}
            onDiscard={() => {
              apply.close();
              onChange(null);
            }}
          />
          <DiffDialog
            opened={comparing}
            draft={draft}
            live={live}
            validation={validation}
            onClose={compare.close}
          />
        </>
      )}
    </>
  );
}

function Applied({ change }: { change: RouterChange }) {
  return (
    <Notice tone="info" title={`Revision ${change.revision} went live`}>
      {change.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </Notice>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 1) return <Notice tone="caution" title={warnings[0]} />;
  return (
    <Notice tone="caution" title={`${warnings.length} warnings`}>
      <ul className={list.list}>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Notice>
  );
}

function DraftState({ validation }: { validation: Validation | undefined }) {
  if (validation === undefined) return <span className="dimmed">Draft: checking…</span>;
  const { problems, warnings, changes } = validation;
  if (problems.length > 0) {
    const text = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
    return <State tone="bad" icon={<IconCircleX size={16} aria-hidden />} text={text} />;
  }
  const text = changes.length === 1 ? 'one change' : `${changes.length} changes`;
  if (warnings.length > 0) {
    return <State tone="caution" icon={<IconAlertTriangle size={16} aria-hidden />} text={text} />;
  }
  return (
    <State tone="good" icon={<IconCircleCheck size={16} aria-hidden />} text={`${text}, valid`} />
  );
}

type StateProps = { tone: 'good' | 'caution' | 'bad'; icon: ReactNode; text: string };

function State({ tone, icon, text }: StateProps) {
  return (
    <span className={classes.draft} data-tone={tone} role="status">
      {icon} Draft: {text}
    </span>
  );
}
