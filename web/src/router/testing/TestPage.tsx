/** The test of a draft on messages that are stored, or pasted. Nothing is sent or stored. */
import { ActionIcon, Anchor, Button } from '@mantine/core';
import { IconChevronRight, IconClipboardText, IconDatabase, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { LogspaceStatus } from '../../api/model';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import type { RouterDocument } from '../document';
import { CellPanel } from './CellPanel';
import { Controls } from './Controls';
import { Findings } from './Findings';
import { MatrixTable, type MatrixPlace } from './MatrixTable';
import { ReportMenu } from './ReportMenu';
import { Summary } from './Summary';
import { Volumes } from './Volumes';
import { estimated } from './estimate';
import { type Finding, findingsOf } from './findings';
import { matrixOf, worstCell } from './outcome';
import { type TestMessages, type Testing, isNarrow } from './useTesting';
import classes from './Testing.module.css';

type Props = {
  testing: Testing;
  document: RouterDocument;
  /** The changes of the draft, in words. */
  changes: readonly string[];
  logspaces: readonly LogspaceStatus[];
  /** Whether the draft is still the one that was tried. */
  isCurrent: boolean;
  onTry: (messages?: TestMessages) => void;
  /** Changes the draft, and tries it again. */
  onFix: (finding: Finding) => void;
  onShow: (finding: Finding) => void;
  onClose: () => void;
};

export function TestPage({ testing, document, onTry, onClose, ...props }: Props) {
  const { messages, report, tested, isRunning, error } = testing;
  const isPasted = messages.pasted !== null;
  return (
    <div className="stack grow minWidth0 minHeight0">
      <header className={classes.head}>
        <Anchor component="button" type="button" c="inherit" onClick={onClose}>
          Router
        </Anchor>
        <IconChevronRight size={14} aria-hidden />
        <h1>Test on history</h1>
        <span className={classes.about}>
          what the draft would have done; nothing is sent or stored
        </span>
        <div className={classes.tools}>
          <Button
            variant="default"
            aria-label={isPasted ? 'Use stored messages' : 'Paste messages'}
            leftSection={
              isPasted ? (
                <IconDatabase size={16} aria-hidden />
              ) : (
                <IconClipboardText size={16} aria-hidden />
              )
            }
            onClick={() => testing.choose({ pasted: isPasted ? null : '' })}
          >
            <span className={classes.label}>
              {isPasted ? 'Use stored messages' : 'Paste messages'}
            </span>
          </Button>
          <ReportMenu
            reported={
              report === null || tested === null
                ? null
                : { tested, report, changes: props.changes, logspaces: props.logspaces }
            }
          />
          <ActionIcon aria-label="Close the test" onClick={onClose}>
            <IconX size={18} />
          </ActionIcon>
        </div>
      </header>
      <Controls testing={testing} document={document} onTry={onTry} />
      {error !== null && (
        <div className={classes.notice}>
          <Notice tone="error" title={error.message} onRetry={() => onTry()} />
        </div>
      )}
      {!props.isCurrent && !isRunning && error === null && report !== null && (
        <div className={classes.notice}>
          <Notice tone="caution" title="The draft has changed since this test">
            <Button mt={4} variant="default" onClick={() => onTry()}>
              Test the draft as it is now
            </Button>
          </Notice>
        </div>
      )}
      {report === null && error === null && <Before isRunning={isRunning} />}
      {report !== null && report.messages === 0 && !isRunning && (
        <div className={classes.empty}>
          <Empty title="There is no message to try the draft on">
            <p>
              {isPasted
                ? 'Paste some, one on each line.'
                : 'None is stored in this range that the search finds. Choose a longer range, or paste some.'}
            </p>
          </Empty>
        </div>
      )}
      {report !== null && report.messages > 0 && <Results {...{ testing, ...props }} />}
    </div>
  );
}

type ResultsProps = Omit<Props, 'document' | 'onTry' | 'onClose' | 'changes'>;

function Results({ testing, logspaces, isCurrent, onFix, onShow }: ResultsProps) {
  const [chosen, setChosen] = useState<MatrixPlace | null>(null);
  const outcome = useRef<HTMLDivElement>(null);
  const { tested, isRunning } = testing;
  if (testing.report === null) return null;
  const report = estimated(testing.report);
  const matrix = matrixOf(report.matrix, tested);
  const findings =
    tested === null ? [] : findingsOf(report, matrix, tested, isNarrow(tested.messages));
  const cell =
    (chosen === null ? undefined : matrix.cells.get(chosen.row)?.get(chosen.column)) ??
    worstCell(matrix);
  const choose = (place: MatrixPlace) => {
    setChosen(place);
    outcome.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className={classes.results} data-stale={testing.isOld}>
      <div className={classes.main}>
        <Summary report={report} matrix={matrix} />
        <MatrixTable matrix={matrix} documents={tested} chosen={cell ?? null} onChoose={choose} />
        <Volumes report={report} tested={tested} logspaces={logspaces} />
        {report.problems.map((problem) => (
          <p key={problem} className="meta dimmed">
            {`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`}
          </p>
        ))}
      </div>
      <div className={classes.side}>
        <Findings
          findings={findings}
          isCurrent={isCurrent}
          isRunning={isRunning}
          isNarrow={tested !== null && isNarrow(tested.messages)}
          onFix={onFix}
          onShow={onShow}
          onCell={choose}
        />
        <div ref={outcome} className={classes.outcome}>
          {/* Of another test the first examples are shown first. */}
          {cell !== undefined && <CellPanel key={tested?.at ?? ''} cell={cell} report={report} />}
        </div>
      </div>
    </div>
  );
}

function Before({ isRunning }: { isRunning: boolean }) {
  return (
    <div className={classes.empty} role="status">
      <Empty title={isRunning ? 'Looking for messages…' : 'Nothing is tried yet'}>
        {!isRunning && (
          <p>
            Choose which messages, then Test: each is taken through what is live and through the
            draft, and the two outcomes are compared.
          </p>
        )}
      </Empty>
    </div>
  );
}
