/**
 * The tools for a token of the query, shown below it while the pointer or the focus is on it. They are one Tab stop;
 * arrow keys move within.
 */
import { UnstyledButton } from '@mantine/core';
import { IconEqualNot, IconEyeOff, IconPencil, IconX } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import classes from './ClauseTools.module.css';
import { type Clause, type ClauseAction, actionName, actionsOn } from './clauses';

type Props = {
  /** The element of the editor, whose tokens have their number as an attribute. */
  host: RefObject<HTMLElement | null>;
  parts: readonly Clause[];
  onAct: (action: ClauseAction, clause: Clause) => void;
};

type Place = { at: number; left: number; top: number };

/** The time to move from a token to its tools before these are hidden. */
const LEAVE_MS = 200;

export function ClauseTools({ host, parts, onAct }: Props) {
  const [place, setPlace] = useState<Place | null>(null);
  const [stop, setStop] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = (at: number | null) => {
    clearTimeout(leaving.current);
    if (at === null) leaving.current = setTimeout(() => setPlace(null), LEAVE_MS);
    else setPlace(placeOf(host.current, at));
  };
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  useEffect(() => {
    const editor = host.current;
    const onOver = ({ target }: Event) => {
      const token = target instanceof Element ? target.closest('[data-clause]') : null;
      latest.current(token === null ? null : Number(token.getAttribute('data-clause')));
    };
    const onLeave = () => latest.current(null);
    editor?.addEventListener('mouseover', onOver);
    editor?.addEventListener('mouseleave', onLeave);
    return () => {
      clearTimeout(leaving.current);
      editor?.removeEventListener('mouseover', onOver);
      editor?.removeEventListener('mouseleave', onLeave);
    };
  }, [host]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const next = buttons.indexOf(event.target as HTMLButtonElement) + step;
    buttons.at(Math.min(Math.max(next, 0), buttons.length - 1))?.focus();
  };
  const starts = startsOf(parts);
  if (parts.length === 0) return null;
  return (
    <ul ref={list} aria-label="Clauses" onKeyDown={onKeyDown}>
      {parts.map((part, at) => (
        <li
          key={`${part.start} ${part.text}`}
          aria-label={part.text}
          className={classes.tools}
          data-shown={place?.at === at}
          style={place?.at === at ? { left: place.left, top: place.top } : {}}
          onMouseEnter={() => show(at)}
          onMouseLeave={() => show(null)}
          onFocus={() => show(at)}
          onBlur={() => show(null)}
        >
          {actionsOn(part).map((action, n) => (
            <UnstyledButton
              key={action}
              className={classes.tool}
              tabIndex={(starts[at] ?? 0) + n === stop ? 0 : -1}
              aria-label={actionName(action, part)}
              title={actionName(action, part).slice(0, 120)}
              onFocus={() => setStop((starts[at] ?? 0) + n)}
              // Otherwise the editor would lose its selection because of the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                setPlace(null);
                setStop(0);
                onAct(action, part);
              }}
            >
              {icons[action]}
            </UnstyledButton>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** For each part, the number of its first button among all buttons. */
function startsOf(parts: readonly Clause[]): number[] {
  let count = 0;
  return parts.map((part) => {
    const start = count;
    count += actionsOn(part).length;
    return start;
  });
}

/** The position below the beginning of the token, within its container. */
function placeOf(host: HTMLElement | null, at: number): Place {
  const box = host?.parentElement?.getBoundingClientRect();
  const token = host?.querySelector(`[data-clause="${at}"]`)?.getBoundingClientRect();
  if (box === undefined || token === undefined) return { at, left: 0, top: 0 };
  const within = Math.min(Math.max(token.left - box.left, 0), Math.max(box.width - 112, 0));
  return { at, left: within, top: Math.min(token.bottom, box.bottom) - box.top };
}

const icons: Readonly<Record<ClauseAction, ReactNode>> = {
  off: <IconEyeOff size={14} />,
  negate: <IconEqualNot size={14} />,
  edit: <IconPencil size={14} />,
  remove: <IconX size={14} />,
};
