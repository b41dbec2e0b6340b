/** The test of a draft on stored or pasted messages. Nothing is sent or stored. */
import { Anchor, Button, Menu } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronRight,
  IconClipboardText,
  IconCopy,
  IconDatabase,
  IconDownload,
  IconFileText,
  IconSend2,
  IconX,
} from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { IconButton } from '../../ui/IconButton';
import { MenuItem } from '../../ui/MenuItem';
import { Table } from '../../ui/Table';
import type { LogspaceStatus } from '../../api/model';
import { Empty } from '../../ui/Empty';
import { Notice } from '../../ui/Notice';
import { formatBytes, formatCount } from '../../ui/number';
import { copyText } from '../../ui/clipboard';
import { download } from '../../ui/download';
import { toast } from '../../ui/toast';
import type { RouterDocument } from '../document';
import { CellPanel } from './CellPanel';
import { Controls } from './Controls';
import { Findings } from './Findings';
import { MatrixTable, type MatrixPlace } from './MatrixTable';
import { estimated, isEstimate, marginText } from './estimate';
import { type Finding, findingsOf } from './findings';
import { type Kind, type Matrix, matrixOf, worstCell } from './outcome';
import { type TestMessages, type TestedDraft, type Testing, isNarrow } from './useTesting';
import type { TestReport } from './wire';
import { changeText, dailyVolumes, daysOf, diskChange, diskText, stretchText } from './volumes';
import { type Reported, reportJson, reportMarkdown, reportName } from './reportText';
import classes from './Testing.module.css';
import volumesClasses from './Volumes.module.css';

type Props = {
  testing: Testing;
  document: RouterDocument;
  /** The changes of the draft, in words. */
  changes: readonly string[];
  logspaces: readonly LogspaceStatus[];
  /** Whether the draft is still the one that was tested. */
  isCurrent: boolean;
  onTry: (messages?: TestMessages) => void;
  /** Changes the draft, and tests it again. */
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
            <span className="wideOnly">{isPasted ? 'Use stored messages' : 'Paste messages'}</span>
          </Button>
          <ReportMenu
            reported={
              report === null || tested === null
                ? null
                : { tested, report, changes: props.changes, logspaces: props.logspaces }
            }
          />
          <IconButton icon={IconX} iconSize={18} label="Close the test" onClick={onClose} />
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
            <Button mt={4} onClick={() => onTry()}>
              Test the draft as it is now
            </Button>
          </Notice>
        </div>
      )}
      {report === null && error === null && <Before isRunning={isRunning} />}
      {report !== null && report.messages === 0 && !isRunning && (
        <div className="pad24 grow minHeight0 scroll">
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
    <div className="pad24 grow minHeight0 scroll" role="status">
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

type SummaryProps = { report: TestReport; matrix: Matrix };

/** The main answer of the page: how many messages the draft would change, and how. */
function Summary({ report, matrix }: SummaryProps) {
  const { totals, lostTo } = matrix;
  const changed = totals.fields + totals.gained + totals.other + totals.lost;
  const of = isEstimate(report) ? report.total : report.messages;
  const parts: readonly { kind: Kind; words: string }[] = [
    { kind: 'fields', words: 'other fields' },
    { kind: 'gained', words: 'gained by a target' },
    { kind: 'other', words: 'other outcome' },
    { kind: 'lost', words: `lost to ${lostTo.length === 0 ? 'a target' : lostTo.join(', ')}` },
  ];
  return (
    <div className={classes.summary}>
      <p>
        <b>{changed === 0 ? 'None' : formatCount(changed)}</b> of {formatCount(of)} would change
        {isEstimate(report) && <span>, {marginText(report.margin)}</span>}
      </p>
      <ul>
        {parts
          .filter(({ kind }) => totals[kind] > 0)
          .map(({ kind, words }) => (
            <li key={kind} data-kind={kind}>
              <b>{formatCount(totals[kind])}</b> {words}
            </li>
          ))}
      </ul>
    </div>
  );
}

type VolumesProps = {
  report: TestReport;
  tested: TestedDraft | null;
  logspaces: readonly LogspaceStatus[];
};

const SHOWN_MAX = 12;

/** The daily volume of each target now, and with the draft. */
function Volumes({ report, tested, logspaces }: VolumesProps) {
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
      <div className={volumesClasses.head}>
        <h2>Volume per target</h2>
        {days !== null && (
          <span className="dimmed">messages {stretchText(days)}, bytes a day at this rate</span>
        )}
        {disk !== '' && (
          <b data-tone={change !== null && change < 0 ? 'good' : 'caution'}>{disk}</b>
        )}
      </div>
      <div className={volumesClasses.scroll} tabIndex={0} role="group" aria-label="Targets">
        <Table
          heads={[
            'Target',
            'Now',
            'Draft',
            <td className={volumesClasses.bars} />,
            <th scope="col">{days === null ? 'Bytes now' : 'Now a day'}</th>,
            <th scope="col">{days === null ? 'Bytes draft' : 'Draft a day'}</th>,
            'Change',
          ]}
        >
          {shown.map((volume) => {
            const { target, name, isLogspace, before, after, beforeBytes, afterBytes } = volume;
            return (
              <tr key={target}>
                <th scope="row">
                  <span className={volumesClasses.target}>
                    {isLogspace ? (
                      <IconDatabase size={14} role="img" aria-label="Logspace" />
                    ) : (
                      <IconSend2 size={14} role="img" aria-label="Destination" />
                    )}
                    <span className="ellipsis" title={name}>
                      {name}
                    </span>
                  </span>
                </th>
                <td className="dimmed">{formatCount(before)}</td>
                <td>{formatCount(after)}</td>
                <td className={volumesClasses.bars} aria-hidden="true">
                  <span className={volumesClasses.bar} data-now="true" style={bar(before)} />
                  <span className={volumesClasses.bar} style={bar(after)} />
                </td>
                <td className="dimmed">{formatBytes(beforeBytes)}</td>
                <td>{formatBytes(afterBytes)}</td>
                <td
                  className={volumesClasses.change}
                  data-way={Math.sign(afterBytes - beforeBytes)}
                >
                  {changeText(beforeBytes, afterBytes)}
                </td>
              </tr>
            );
          })}
        </Table>
      </div>
      {shown.length < volumes.length && (
        <Button variant="subtle" onClick={() => setWhole(true)}>
          Show {volumes.length - shown.length} more targets
        </Button>
      )}
    </section>
  );
}

/** The test as a file or on the clipboard. */
function ReportMenu({ reported }: { reported: Reported | null }) {
  const keep = (text: string, ending: 'md' | 'json') => {
    const type = ending === 'md' ? 'text/markdown' : 'application/json';
    if (reported !== null) download(new Blob([text], { type }), reportName(reported, ending));
  };
  const copy = async (text: string) => {
    const isCopied = await copyText(text);
    toast(
      isCopied
        ? { tone: 'good', title: 'The report is on the clipboard' }
        : { tone: 'error', title: 'The browser did not let the report be copied' },
    );
  };
  return (
    <Menu position="bottom-end" disabled={reported === null}>
      <Menu.Target>
        <Button
          disabled={reported === null}
          aria-label="Report"
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          <span className="wideOnly">Report</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {reported !== null && (
          <>
            <MenuItem
              icon={IconFileText}
              label="Download as Markdown"
              onClick={() => keep(reportMarkdown(reported), 'md')}
            />
            <MenuItem
              icon={IconFileText}
              label="Download as JSON"
              onClick={() => keep(reportJson(reported), 'json')}
            />
            <MenuItem
              icon={IconCopy}
              label="Copy as Markdown"
              onClick={() => void copy(reportMarkdown(reported))}
            />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
