/**
 * The toasts: an unobtrusive corner that is announced by screen readers and never takes the focus.
 */
import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconInfoCircle,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import {
  type ShownToast,
  type ToastTone,
  dismissAllToasts,
  dismissToast,
  onToasts,
  shownToasts,
  staysMs,
} from './toast';
import { Prose } from './Prose';
import { useKeys } from './useKeys';
import { IconButton } from './IconButton';
import classes from './Toasts.module.css';

export { toast } from './toast';

export function Toasts() {
  const toasts = useSyncExternalStore(onToasts, shownToasts);
  const [held, setHeld] = useState(false);
  return (
    <section
      className={classes.corner}
      aria-label="Notifications"
      aria-live="polite"
      aria-relevant="additions"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {toasts.map((one) => (
        <Card key={one.id} toast={one} held={held} />
      ))}
      {toasts.length > 0 && <DismissKey />}
    </section>
  );
}

/** Bound only while there is something to dismiss, so that the page keeps the Esc key. */
function DismissKey() {
  useKeys({ Escape: { does: 'Dismiss notifications', run: dismissAllToasts } }, 'Everywhere');
  return null;
}

function Card({ toast, held }: { toast: ShownToast; held: boolean }) {
  const { id, tone, title, detail, action } = toast;
  const stays = staysMs(toast);
  useEffect(() => {
    if (held || stays === null) return;
    const timer = setTimeout(() => dismissToast(id), stays);
    return () => clearTimeout(timer);
  }, [held, id, stays]);
  return (
    <div className={classes.toast} data-tone={tone}>
      <span className={classes.icon}>{icons[tone]}</span>
      <div className="padY4 grow minWidth0 breakAnywhere">
        <div className="bold">
          <Prose text={title} />
        </div>
        {detail !== undefined && <div className="dimmed">{detail}</div>}
      </div>
      {action !== undefined && (
        <Button
          variant="subtle"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={IconX} label={`Dismiss: ${title}`} onClick={() => dismissToast(id)} />
    </div>
  );
}

const icons: Readonly<Record<ToastTone, ReactNode>> = {
  good: <IconCircleCheck size={16} aria-hidden />,
  info: <IconInfoCircle size={16} aria-hidden />,
  caution: <IconAlertTriangle size={16} aria-hidden />,
  error: <IconCircleX size={16} aria-label="Failed:" role="img" />,
};
