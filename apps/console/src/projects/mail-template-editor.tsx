import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOperator } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation, useApiUpdate, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { LinesInput } from '../components/lines-input';
import { ProblemAlert } from '../components/problem-alert';
import { PropertyList } from '../components/property-list';
import { isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { useEdits } from '../components/use-edits';
import { MailContent } from '../mails/mail-content';
import { hasLink, languageName, mailTypes, type MailTemplateFields, type TemplateId } from './mail-template';
import type { Project } from './use-project-form';

const PATH = '/operator/v1/projects/{projectId}/mail-templates/{kind}/{language}';

const labels: Record<keyof MailTemplateFields, string> = {
  subject: 'Subject',
  heading: 'Heading',
  paragraphs: 'Paragraphs',
  button: 'Button',
  linkLabel: 'Text before the link',
  closing: 'Small print',
};

interface MailTemplateEditorProps {
  project: Project;
  template: TemplateId;
  canEdit: boolean;
  onClose: () => void;
}

/** Renders a dialog that edits an email template, shows a preview and sends a test email. */
export function MailTemplateEditor({
  project,
  template,
  canEdit,
  onClose,
}: MailTemplateEditorProps): ReactNode {
  const { kind, language } = template;
  const params = { path: { projectId: project.id, kind, language } };
  // A new language has no text yet.
  const isNew = template.subject === undefined;
  const query = useGet(PATH, params, { enabled: !isNew });
  const saved = query.data ?? template;
  const edits = useEdits(toFields(saved));
  const body = toBody(template, edits.values);
  const save = useApiUpdate(
    saved,
    (patch: Schemas['MailTemplateRequest'], header) =>
      api.PATCH(PATH, { params: { ...params, header }, body: patch }),
    '/operator/v1/projects',
  );
  const preview = useApiMutation(() => unwrap(api.POST(`${PATH}/preview`, { params, body })));
  const errors = { ...preview.error?.fields, ...save.error?.fields };
  return (
    <ActionDialog
      open
      onClose={onClose}
      title={`${mailTypes[kind]}, ${languageName(language)}`}
      size="lg"
      confirmLabel={saveLabel(edits)}
      cancelLabel="Close"
      hidesError={isStale}
      disabled={!canEdit || (!isNew && !query.data)}
      onConfirm={async () => {
        const patch = Object.entries(body).filter(([name]) => isNew || name in edits.changed);
        await save.mutateAsync(Object.fromEntries(patch));
        toastSuccess('Email template saved. It applies to new emails.');
      }}
    >
      <TemplateFields
        template={template}
        fields={edits.values}
        set={edits.set}
        errors={errors}
        isReadOnly={!canEdit}
      />
      {query.error && <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />}
      {canEdit && (
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            loading={preview.isPending}
            onClick={() => preview.mutate(undefined)}
          >
            Preview
          </Button>
          <SendTest params={params} body={body} />
        </Group>
      )}
      {preview.error && <ProblemAlert error={preview.error} />}
      {preview.data && <MailPreview mail={preview.data} />}
      <SavedChanges edits={edits} labels={labels} problem={save.error} />
    </ActionDialog>
  );
}

interface TemplateFieldsProps {
  template: TemplateId;
  fields: MailTemplateFields;
  set: (changes: Partial<MailTemplateFields>) => void;
  /** Error messages by field. */
  errors: Record<string, string>;
  isReadOnly: boolean;
}

function TemplateFields({ template, fields, set, errors, isReadOnly }: TemplateFieldsProps): ReactNode {
  const line = (name: 'subject' | 'heading' | 'button' | 'linkLabel', maxLength: number) => (
    <TextInput
      label={labels[name]}
      maxLength={maxLength}
      autoComplete="off"
      readOnly={isReadOnly}
      value={fields[name] ?? ''}
      error={errors[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  const paragraphs = (name: 'paragraphs' | 'closing') => (
    <LinesInput
      label={labels[name]}
      description="One paragraph per line."
      readOnly={isReadOnly}
      value={fields[name]}
      error={errors[name]}
      onChange={(lines) => set({ [name]: lines })}
    />
  );
  return (
    <>
      <Text c="dimmed">
        Plain text. Variables: {template.variables.map((variable) => `{{${variable}}}`).join(', ')}. The
        layout adds the name, the logo and the link.
      </Text>
      {line('subject', 200)}
      {line('heading', 200)}
      {paragraphs('paragraphs')}
      {hasLink(template) && line('button', 60)}
      {hasLink(template) && line('linkLabel', 200)}
      {paragraphs('closing')}
    </>
  );
}

interface SendTestProps {
  params: { path: { projectId: string; kind: string; language: string } };
  body: Schemas['MailTemplateRequest'];
}

/** Renders a button that sends the email to the operator's address. */
function SendTest({ params, body }: SendTestProps): ReactNode {
  const { email } = useOperator();
  const send = useApiMutation(() => api.POST(`${PATH}/test`, { params, body }));
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={send.isPending}
        onClick={() =>
          send.mutate(undefined, { onSuccess: () => toastSuccess(`Test email to ${email} queued`) })
        }
      >
        Send test email to me
      </Button>
      {send.error && <ProblemAlert error={send.error} />}
    </>
  );
}

/** Shows an email with sample values. */
function MailPreview({ mail }: { mail: Schemas['MailPreviewResponse'] }): ReactNode {
  return (
    <Stack role="region" aria-label="Preview">
      <PropertyList items={{ Subject: <UntrustedText text={mail.subject} /> }} />
      <MailContent mail={mail} />
    </Stack>
  );
}

const toFields = ({
  subject = '',
  heading = '',
  paragraphs = [],
  button = null,
  linkLabel = null,
  closing = [],
}: TemplateId): MailTemplateFields => ({ subject, heading, paragraphs, button, linkLabel, closing });

/** Returns the fields to send. An email without a link has neither a button nor text before the link. */
function toBody(
  template: TemplateId,
  { button, linkLabel, ...fields }: MailTemplateFields,
): Schemas['MailTemplateRequest'] {
  return hasLink(template) ? { ...fields, button: button ?? '', linkLabel: linkLabel ?? '' } : fields;
}
