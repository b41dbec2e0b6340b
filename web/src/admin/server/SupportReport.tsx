/** The report is read here before it is saved: what is saved is what is shown. */
import { Button } from '@mantine/core';
import { IconDownload, IconFileText } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { supportReport } from '../../api/server';
import { Copy } from '../../ui/Copy';
import { download } from '../../ui/download';
import { formatBytes } from '../../ui/number';
import { PagePart } from '../PagePart';
import { fileName, sectionsOf } from './report';
import own from './Server.module.css';

export function SupportReport() {
  const make = useMutation({ mutationFn: supportReport });
  const text = make.data;
  return (
    <PagePart
      label="Support report"
      tools={
        <>
          {text !== undefined && (
            <>
              <Copy what="the report" text={text} />
              <Button
                leftSection={<IconDownload size={16} aria-hidden />}
                onClick={() =>
                  download(new Blob([text], { type: 'text/plain' }), fileName(new Date()))
                }
              >
                Save
              </Button>
            </>
          )}
          <Button
            variant="default"
            leftSection={<IconFileText size={16} aria-hidden />}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            {text === undefined ? 'Make a report' : 'Make it again'}
          </Button>
        </>
      }
      error={make.error}
      onRetry={() => make.mutate()}
    >
      <p className={own.lead}>
        Everything that helps to find out what is wrong: settings, router document, states,
        counters, senders and the newest lines of the server’s own log. It holds no passwords,
        tokens, keys or messages, but names of hosts and addresses: read it before you hand it on.
      </p>
      {text !== undefined && <Report text={text} />}
    </PagePart>
  );
}

function Report({ text }: { text: string }) {
  const sections = sectionsOf(text);
  const [at, setAt] = useState(0);
  const shown = sections[at] ?? sections[0];
  return (
    <div className={own.report}>
      <nav aria-label="Sections of the report">
        {sections.map(({ title, body }, number) => (
          <button
            key={title}
            type="button"
            aria-current={number === at ? 'true' : undefined}
            onClick={() => setAt(number)}
          >
            <span>{title}</span>
            <span className="dimmed">{formatBytes(body.length)}</span>
          </button>
        ))}
      </nav>
      <pre tabIndex={0} role="group" aria-label={shown?.title}>
        {shown?.body}
      </pre>
    </div>
  );
}
