/** Everything that is wrong with a draft, in one list. */
import { Anchor } from '@mantine/core';
import type { DocumentProblem } from '../api/model';
import { Notice } from '../ui/Notice';
import classes from './ProblemList.module.css';

const SHOWN_MAX = 20;

type Props = { problems: readonly DocumentProblem[]; onShow: (path: string) => void };

export function ProblemList({ problems, onShow }: Props) {
  const count = problems.length;
  return (
    <Notice tone="error" title={count === 1 ? 'One problem' : `${count} problems`}>
      <ul className={classes.list}>
        {problems.slice(0, SHOWN_MAX).map((problem, at) => (
          <li key={at}>
            {problem.path !== '' && (
              <Anchor
                component="button"
                type="button"
                size="sm"
                className="mono"
                onClick={() => onShow(problem.path)}
              >
                {problem.path}
              </Anchor>
            )}{' '}
            {problem.line !== undefined && (
              <span className="dimmed">
                line {problem.line}, column {problem.column}{' '}
              </span>
            )}
            {problem.message}
          </li>
        ))}
      </ul>
      {count > SHOWN_MAX && <p>… and {count - SHOWN_MAX} more.</p>}
    </Notice>
  );
}
