/** The path of one message through the router, with the reason for each decision. */
import { Anchor, Button, Textarea } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Form } from '../../ui/Form';
import { IconButton } from '../../ui/IconButton';
import { Failure } from '../../ui/Notice';
import { SelectField } from '../../ui/Fields';
import { MessagePath } from '../../ui/trace/MessagePath';
import { type RouterDocument, idOf } from '../document';
import type { Content } from '../draft/edits';
import { documentOf } from '../testing/run';
import { type Trace, requestTrace } from '../../api/query';
import { address } from '../../ui/open';
import editor from '../editor/Editor.module.css';

type Props = {
  /** The id of the message; empty for a pasted one. */
  id: string;
  document: RouterDocument;
  /** The draft to trace; null traces the live document. */
  draft: Content | null;
  onTrace: (trace: Trace | null) => void;
  onClose: () => void;
};

export function TracePanel({ id, document, draft, onTrace, onClose }: Props) {
  const [raw, setRaw] = useState('');
  const [source, setSource] = useState(idOf(document.sources[0] ?? {}));
  const trace = useMutation({
    mutationFn: () =>
      requestTrace({
        ...(id === '' ? { raw, source } : { id }),
        ...(draft !== null && { document: documentOf(draft) }),
      }),
    onSuccess: onTrace,
    onError: () => onTrace(null),
  });
  const { mutate } = trace;
  useEffect(() => {
    if (id !== '') mutate();
  }, [id, draft, mutate]);
  const close = () => {
    onTrace(null);
    onClose();
  };
  return (
    <section className="stack minWidth0 fullHeight" aria-label="Trace">
      <div className={editor.head}>
        <h2>Trace a message</h2>
        <IconButton icon={IconX} label="Close" onClick={close} />
      </div>
      <div className="stack gap16 pad16 grow minHeight0 scroll">
        {id === '' && (
          <Form className="stack gap12" onSubmit={() => trace.mutate()}>
            <p className="dimmed">
              Paste a message as it is sent, or pick one in{' '}
              <Anchor size="sm" href={address('/search')}>
                Search
              </Anchor>
              : open it, then “Trace in the router”. Nothing is stored or sent.
            </p>
            <Textarea
              label="Message"
              autosize
              minRows={2}
              maxRows={8}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              placeholder="<38>1 2026-01-02T03:04:05Z web-1 sshd 77 - - session opened"
              value={raw}
              onChange={(event) => setRaw(event.currentTarget.value)}
            />
            <SelectField
              label="As if received by"
              size="sm"
              value={source}
              data={document.sources.map(idOf)}
              onChange={setSource}
            />
            <Button
              variant="filled"
              type="submit"
              loading={trace.isPending}
              disabled={raw.trim() === ''}
            >
              Trace
            </Button>
          </Form>
        )}
        {draft !== null && <p className="dimmed">Traced with the draft, not with what is live.</p>}
        <Failure error={trace.error} onRetry={() => trace.mutate()} />
        {trace.data !== undefined && <Traced trace={trace.data} />}
      </div>
    </section>
  );
}

function Traced({ trace }: { trace: Trace }) {
  const { host, program, message } = trace.message;
  return (
    <>
      <div>
        <b>{host}</b> <span className="dimmed">{program}</span>
        <p className="code">{message}</p>
      </div>
      <MessagePath trace={trace} />
    </>
  );
}

/** The routes and targets that the message passes, by their ids. */
export function passedIds(trace: Trace): ReadonlySet<string> {
  const taken = trace.routes.filter(({ verdict }) => verdict === 'taken');
  const targets = trace.outcome.map((target) => target.replace(/^[a-z]+:/, ''));
  return new Set([...taken.map(({ id }) => id), ...targets]);
}
