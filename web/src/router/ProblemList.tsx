/** All problems of a draft in one list, with the names that the page uses. */
import { Anchor } from '@mantine/core';
import type { DocumentProblem } from '../api/model';
import { Notice } from '../ui/Notice';
import { Prose } from '../ui/Prose';
import { InlineCode } from '../ui/InlineCode';
import type { Item, ItemPlace } from './document';
import { nameOfPath } from './problems';

const SHOWN_MAX = 20;

type Props = {
  problems: readonly DocumentProblem[];
  /** Reads the document that names come from. */
  itemAt: (place: ItemPlace) => Item | undefined;
  /** Goes to a problem; if missing, problems have no links. */
  onShow?: (problem: DocumentProblem) => void;
};

export function ProblemList({ problems, itemAt, onShow }: Props) {
  const count = problems.length;
  return (
    <Notice tone="error" title={count === 1 ? 'One problem' : `${count} problems`}>
      <ul className="bullets">
        {problems.slice(0, SHOWN_MAX).map((problem, at) => (
          <li key={at}>
            <Where problem={problem} itemAt={itemAt} onShow={onShow} />{' '}
            {problem.line !== undefined && (
              <span className="dimmed">
                line {problem.line}, column {problem.column}{' '}
              </span>
            )}
            <Prose text={problem.message} />
          </li>
        ))}
      </ul>
      {count > SHOWN_MAX && <p>… and {count - SHOWN_MAX} more.</p>}
    </Notice>
  );
}

type WhereProps = Pick<Props, 'itemAt'> & {
  problem: DocumentProblem;
  onShow: Props['onShow'] | undefined;
};

function Where({ problem, itemAt, onShow }: WhereProps) {
  const { noun, name, field } = nameOfPath(problem.path, itemAt);
  const words = (
    <>
      {noun} {name !== '' && <b>{name}</b>}
      {field !== '' && `, ${field}`}
    </>
  );
  // A text that cannot be parsed as a document has a position, but no names.
  const isSomewhere = problem.path !== '' || problem.line !== undefined;
  if (onShow === undefined || !isSomewhere) return <span>{words}:</span>;
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => onShow(problem)}>
      {words}
    </Anchor>
  );
}

/** The changes of a revision or a draft, one sentence each. */
export function ChangeList({ changes }: { changes: readonly string[] }) {
  if (changes.length === 0) return <p className="dimmed">No change in what the router does.</p>;
  return (
    <ul className="bullets" style={{ marginBottom: 12 }}>
      {changes.map((change) => (
        <li key={change}>
          <InlineCode text={change} />
        </li>
      ))}
    </ul>
  );
}
