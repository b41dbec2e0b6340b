/** The server's problem with a query, below the bar, with the place in the query that it refers to. */
import { Button } from '@mantine/core';
import { isRefusal, problemOf } from '../../api/client';
import type { Coverage, QueryWarning } from '../../api/model';
import { Notice } from '../../ui/Notice';
import { UnderlinedLine } from '../../ui/UnderlinedLine';

type ProblemProps = {
  error: Error;
  query: string;
  onRetry: () => void;
  onUse: (query: string) => void;
};

/** A refusal is caused by the query and would be repeated; other errors may be temporary. */
export function QueryProblem({ error, query, onRetry, onUse }: ProblemProps) {
  const { line, column, end_column, suggestion } = problemOf(error);
  return (
    <Notice tone="error" title={error.message} onRetry={isRefusal(error) ? undefined : onRetry}>
      {column !== undefined && (
        <UnderlinedLine text={query} line={line ?? 1} column={column} endColumn={end_column} />
      )}
      {suggestion !== undefined && <Suggestion text={suggestion} onUse={onUse} />}
    </Notice>
  );
}

type WarningsProps = {
  warnings: readonly QueryWarning[];
  coverage: Coverage;
  query: string;
  onUse: (query: string) => void;
};

export function QueryWarnings({ warnings, coverage, query, onUse }: WarningsProps) {
  return (
    <>
      {warnings.filter(isToBeRead).map((warning, at) => (
        <Notice key={at} tone="caution" title={warning.message}>
          {warning.column !== undefined && (
            <UnderlinedLine
              text={query}
              line={warning.line ?? 1}
              column={warning.column}
              endColumn={warning.end_column}
            />
          )}
          {warning.suggestion !== undefined && (
            <Suggestion text={warning.suggestion} onUse={onUse} />
          )}
        </Notice>
      ))}
      {!coverage.complete && (
        <Notice tone="caution" title="These results are not complete">
          {coverage.skipped_batches > 0
            ? `${coverage.skipped_batches} batches could not be searched.`
            : 'The search stopped before it had seen everything in this range.'}
        </Notice>
      )}
    </>
  );
}

/** Whether the warning is shown here: a range in the query is shown in the range picker. */
function isToBeRead({ code }: QueryWarning): boolean {
  return code !== 'range_in_query';
}

function Suggestion({ text, onUse }: { text: string; onUse: (query: string) => void }) {
  return (
    <Button mt={4} onClick={() => onUse(text)}>
      Search for <code className="mono">&nbsp;{text}</code>
    </Button>
  );
}
