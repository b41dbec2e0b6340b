/** What comes in, which way it goes, and where it ends up: to watch, and to change as a draft. */
import { Skeleton, Tabs } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DocumentProblem, RouterStatus, Session, Validation } from '../api/model';
import { sessionQuery } from '../api/session';
import { Notice } from '../ui/Notice';
import { Counters } from './Counters';
import { DraftBar } from './DraftBar';
import { FormView } from './FormView';
import { History } from './History';
import { ProblemList } from './ProblemList';
import { TextView } from './TextView';
import type { ItemPlace, RouterDocument } from './document';
import { readDocument } from './document';
import { type Content, type Draft, type Edit, edited } from './draft';
import { placeOf } from './problems';
import { type Live, liveQuery, statusQuery, validationQuery } from './queries';
import { type RouterView, type Tab, tabs } from './routerParams';
import { useDraft } from './useDraft';
import classes from './RouterPage.module.css';

/** How long the page waits for the next key before it asks the server about a draft. */
const VALIDATE_WAIT_MS = 300;

type Props = { view: RouterView; onChange: (view: RouterView) => void };

export function RouterPage({ view, onChange }: Props) {
  const queryClient = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { data: live, error, refetch } = useQuery(liveQuery);
  const status = useQuery(statusQuery);
  const appliedRevision = status.data?.revision;
  useEffect(() => {
    // Another user, or the command line, applied a revision.
    if (appliedRevision === undefined || live === undefined) return;
    if (appliedRevision !== live.revision)
      void queryClient.invalidateQueries({ queryKey: ['router'] });
  }, [appliedRevision, live, queryClient]);

  return (
    <div className={classes.page}>
      <h1 className="unseen">Router</h1>
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {status.error !== null && error === null && <Failed error={status.error} />}
      {live === undefined && error === null && <Skeleton height={320} aria-label="Loading" />}
      {live !== undefined && (
        <Loaded
          live={live}
          status={status.data}
          canEdit={mayEdit(session)}
          view={view}
          onChange={onChange}
        />
      )}
    </div>
  );
}

function mayEdit(session: Session | undefined): boolean {
  const role = session?.user?.role;
  return role === 'admin' || role === 'operator';
}

function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return <Notice tone="error" title={error.message} onRetry={onRetry} />;
}

function contentOf(live: Live): Content {
  return { kind: 'toml', text: live.toml };
}

type LoadedProps = Props & { live: Live; status: RouterStatus | undefined; canEdit: boolean };

function Loaded({ live, status, canEdit, view, onChange }: LoadedProps) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useDraft();
  const content = draft?.content ?? null;
  const [settled] = useDebouncedValue(content, VALIDATE_WAIT_MS);
  const validation = useQuery(validationQuery(content === null ? null : settled));
  const opinion = content === null ? undefined : validation.data;
  const problems = opinion?.problems ?? [];
  const ofLive = useQuery(validationQuery(content === null ? contentOf(live) : null));
  const warnings = (content === null ? ofLive.data : opinion)?.warnings ?? [];

  const write = (next: Content) => setDraft({ base: draft?.base ?? live.revision, content: next });
  const document = documentOf(draft, opinion, live);
  const edit = (change: Edit) => {
    if (document !== null) write({ kind: 'document', document: edited(document, change) });
  };
  const showTab = (tab: string | null) =>
    onChange({ ...view, tab: tabs.find((known) => known === tab) ?? 'form', revision: null });
  const showItem = (item: ItemPlace | null) => onChange({ ...view, tab: 'form', item });

  return (
    <>
      <DraftBar
        live={live}
        draft={draft}
        validation={opinion}
        appliedAt={status?.applied_at}
        canEdit={canEdit}
        onValidate={() =>
          void queryClient.invalidateQueries({ queryKey: ['router', 'validation'] })
        }
        onChange={setDraft}
      />
      {validation.error !== null && content !== null && <Failed error={validation.error} />}
      <Tabs value={view.tab} onChange={showTab} className={classes.tabs ?? ''} keepMounted={false}>
        <Tabs.List>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {tabLabel(tab)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="form" className={classes.panel ?? ''}>
          <Problems problems={problems} onShow={showItem} />
          {document === null ? (
            <Notice tone="caution" title="The text cannot be read as a document">
              Correct it on the Text page; then the form shows it again.
            </Notice>
          ) : (
            <FormView
              document={document}
              status={status}
              problems={problems}
              warnings={warnings}
              canEdit={canEdit}
              item={view.item}
              onShow={showItem}
              onEdit={edit}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="text" className={classes.panel ?? ''}>
          <Problems problems={problems} onShow={showItem} />
          <TextView
            text={textOf(draft, opinion, live)}
            problems={content?.kind === 'toml' ? problems : []}
            canEdit={canEdit}
            onWrite={(text) => write({ kind: 'toml', text })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="counters" className={classes.panel ?? ''}>
          {status === undefined ? (
            <Skeleton height={320} aria-label="Loading" />
          ) : (
            <Counters status={status} canEdit={canEdit} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="history" className={classes.panel ?? ''}>
          <History
            shown={view.revision}
            canEdit={canEdit}
            onShow={(revision) => onChange({ ...view, revision })}
          />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** What the forms show; null while the draft is a text that cannot be read. */
function documentOf(
  draft: Draft | null,
  opinion: Validation | undefined,
  live: Live,
): RouterDocument | null {
  if (draft === null) return live.document;
  if (draft.content.kind === 'document') return draft.content.document;
  return opinion?.document === undefined ? null : readDocument(opinion.document);
}

/** What the text editor shows; null while the server has not written the draft as text. */
function textOf(draft: Draft | null, opinion: Validation | undefined, live: Live): string | null {
  if (draft === null) return live.toml;
  if (draft.content.kind === 'toml') return draft.content.text;
  return opinion?.toml ?? null;
}

function tabLabel(tab: Tab): string {
  return tab.charAt(0).toUpperCase() + tab.slice(1);
}

type ProblemsProps = {
  problems: readonly DocumentProblem[];
  onShow: (item: ItemPlace | null) => void;
};

function Problems({ problems, onShow }: ProblemsProps) {
  if (problems.length === 0) return null;
  return <ProblemList problems={problems} onShow={(path) => onShow(placeOf(path))} />;
}
