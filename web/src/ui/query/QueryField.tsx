/**
 * A field for a query, with its history. It is usable at once; colours and suggestions are loaded
 * later.
 */
import {
  type ChangeEvent,
  type ComponentType,
  type KeyboardEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { IconSearch } from '@tabler/icons-react';
import { fetched } from '../../api/code';
import { useQueryHistory } from './history';
import { unitAt } from './offsets';
import type { QueryMark } from './marks';
import { type Clause, type ClauseAction, type Clauses, NO_CLAUSES } from './clauses';
import type { EditorProps, QueryFieldHandle } from './QueryEditor';
import type { Complete } from './suggestions';
import classes from './QueryField.module.css';

export type { QueryMark } from './marks';
export type { QueryFieldHandle } from './QueryEditor';

type Props = {
  label?: string;
  placeholder: string;
  value: string;
  problems?: readonly QueryMark[];
  /** The server's interpretation of the text, which is shown as tokens. */
  clauses?: Clauses;
  onClause?: (action: ClauseAction, clause: Clause) => void;
  /** Whether it has no border of its own, as it is in a box that has one. */
  isBare?: boolean;
  /** Whether it begins with the sign of a search. */
  hasIcon?: boolean;
  /** Whether something is wrong with the query. */
  isBad?: boolean;
  complete: Complete;
  onChange: (value: string) => void;
  onRun: (newTab: boolean) => void;
  ref?: Ref<QueryFieldHandle>;
};

type Loaded = { Editor: ComponentType<EditorProps>; cursor: number | null };

const NO_PROBLEMS: readonly QueryMark[] = [];
const LINES_MAX = 8;
const nothing = () => undefined;

export function QueryField({
  label = 'Query',
  problems = NO_PROBLEMS,
  clauses = NO_CLAUSES,
  onClause = nothing,
  isBare = false,
  hasIcon = false,
  isBad = false,
  ref,
  ...props
}: Props) {
  const plain = useRef<HTMLTextAreaElement>(null);
  const loaded = useEditor(plain);
  const [history, remember] = useQueryHistory();
  const onHistory = useRecall(props.value, history);
  const onRun = (newTab: boolean) => {
    props.onRun(newTab);
    remember(props.value);
  };
  const complete: Complete = (text, cursor, signal) =>
    text.trim() === '' && history.length > 0
      ? Promise.resolve(recentOf(history))
      : props.complete(text, cursor, signal);
  return (
    <div className={classes.field} data-bare={isBare} data-icon={hasIcon} data-bad={isBad}>
      {hasIcon && <IconSearch className={classes.icon} size={16} aria-hidden />}
      {loaded === null ? (
        <PlainField
          {...props}
          label={label}
          field={plain}
          handle={ref}
          onRun={onRun}
          onHistory={onHistory}
        />
      ) : (
        <loaded.Editor
          {...props}
          ref={ref ?? null}
          label={label}
          problems={problems}
          clauses={clauses}
          onClause={onClause}
          cursor={loaded.cursor}
          complete={complete}
          onRun={onRun}
          onHistory={onHistory}
        />
      )}
    </div>
  );
}

const RECENT_MAX = 12;

function recentOf(history: readonly string[]) {
  const options = history
    .slice(0, RECENT_MAX)
    .map((query) => ({ kind: 'recent' as const, label: query, insert: query }));
  return { from: 0, to: 0, options };
}

/** The editor, once it is loaded. The cursor stays at its position in the plain field. */
function useEditor(plain: Ref<HTMLTextAreaElement> & { current: HTMLTextAreaElement | null }) {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    let wanted = true;
    fetched(() => import('./QueryEditor')).then(
      ({ default: Editor }) => {
        const field = plain.current;
        const hasFocus = field !== null && document.activeElement === field;
        if (wanted) setLoaded({ Editor, cursor: hasFocus ? field.selectionStart : null });
      },
      // If the editor cannot be loaded, the plain field is kept, and works.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [plain]);
  return loaded;
}

/** Steps through the history, and back to the text that was being typed. */
function useRecall(value: string, history: readonly string[]) {
  const recalled = useRef<{ at: number; draft: string; shown: string } | null>(null);
  return (step: 1 | -1): string | null => {
    // Once a recalled query is changed, it becomes a draft of its own.
    const past = recalled.current?.shown === value ? recalled.current : null;
    const at = (past?.at ?? -1) + step;
    const draft = past?.draft ?? value;
    const shown = at === -1 ? draft : history[at];
    if (shown === undefined || at < -1) return null;
    recalled.current = { at, draft, shown };
    return shown;
  };
}

type PlainProps = Pick<Props, 'placeholder' | 'value' | 'onChange' | 'onRun'> & {
  label: string;
  field: Ref<HTMLTextAreaElement> & { current: HTMLTextAreaElement | null };
  handle: Ref<QueryFieldHandle> | undefined;
  onHistory: (step: 1 | -1) => string | null;
};

function PlainField({
  label,
  placeholder,
  value,
  field,
  handle,
  onChange,
  onRun,
  onHistory,
}: PlainProps) {
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.select(),
    blur: () => field.current?.blur(),
    select: (start, end) => {
      field.current?.focus();
      field.current?.setSelectionRange(unitAt(value, start), unitAt(value, end));
    },
  }));
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, shiftKey, ctrlKey, metaKey, nativeEvent } = event;
    if (key === 'Escape') field.current?.blur();
    if (altKey && (key === 'ArrowUp' || key === 'ArrowDown')) {
      event.preventDefault();
      onChange(onHistory(key === 'ArrowUp' ? 1 : -1) ?? value);
    }
    // While an input method composes a word, Enter belongs to it.
    if (key !== 'Enter' || shiftKey || nativeEvent.isComposing) return;
    event.preventDefault();
    onRun(ctrlKey || metaKey);
  };
  return (
    <textarea
      ref={field}
      className={classes.plain}
      aria-label={label}
      placeholder={placeholder}
      rows={Math.min(value.split('\n').length, LINES_MAX)}
      spellCheck={false}
      autoCapitalize="off"
      value={value}
      onChange={(event: ChangeEvent<HTMLTextAreaElement>) => onChange(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}
