import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCan } from '../session/roles';
import { api } from '../http/client';
import { useApiMutation } from '../http/queries';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { AddMailLanguage } from './add-mail-language';
import { languageName, mailTypes, type MailTemplate, type TemplateId } from './mail-template';
import { MailTemplateEditor } from './mail-template-editor';
import type { Project } from './use-project-form';

type TemplateDialog =
  | { kind: 'add' }
  | { kind: 'edit'; template: TemplateId }
  | { kind: 'reset'; template: MailTemplate };

const columns: Column<MailTemplate>[] = [
  { header: 'Email', cell: (row) => mailTypes[row.kind] },
  { header: 'Language', cell: (row) => <UntrustedText text={languageName(row.language)} /> },
  {
    header: 'Subject',
    truncate: true,
    wideOnly: true,
    cell: (row) => <UntrustedText text={row.subject} oneLine />,
  },
  {
    header: 'Text',
    cell: (row) =>
      row.customized ? <Badge tone="good">Customized</Badge> : <Badge tone="calm">Default</Badge>,
  },
  { header: 'Updated', align: 'right', cell: (row) => <RelativeTime at={row.updatedAt} fallback="–" /> },
];

/** Lists a project's email templates, which can be edited, previewed and reset. */
export function MailTemplates({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const [openDialog, setOpenDialog] = useState<TemplateDialog | null>(null);
  const list = useList({
    path: '/operator/v1/projects/{projectId}/mail-templates',
    pathParams: { projectId: project.id },
    rowId: (row: MailTemplate) => `${row.kind} ${row.language}`,
    pageSize: 200,
  });
  const close = (): void => setOpenDialog(null);
  const actions: Column<MailTemplate> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => (
      <TemplateMenu
        template={row}
        canEdit={canEdit}
        onSelect={(kind) => setOpenDialog({ kind, template: row })}
      />
    ),
  };
  return (
    <>
      <List
        list={list}
        noun="templates"
        columns={[...columns, actions]}
        toolbar={
          canEdit && (
            <Button
              size="xs"
              leftSection={<Icon name="plus" size={14} />}
              disabled={list.rows.length === 0}
              onClick={() => setOpenDialog({ kind: 'add' })}
            >
              Add language
            </Button>
          )
        }
        empty={{ title: 'No email templates', text: 'Every project has the default templates.' }}
      />
      {openDialog?.kind === 'add' && (
        <AddMailLanguage
          templates={list.rows}
          onClose={close}
          onSelect={(template) => setOpenDialog({ kind: 'edit', template })}
        />
      )}
      {openDialog?.kind === 'edit' && (
        <MailTemplateEditor
          project={project}
          template={openDialog.template}
          canEdit={canEdit}
          onClose={close}
        />
      )}
      {openDialog?.kind === 'reset' && (
        <ResetTemplate project={project} template={openDialog.template} onClose={close} />
      )}
    </>
  );
}

interface TemplateMenuProps {
  template: MailTemplate;
  canEdit: boolean;
  onSelect: (kind: 'edit' | 'reset') => void;
}

function TemplateMenu({ template, canEdit, onSelect }: TemplateMenuProps): ReactNode {
  const name = `${mailTypes[template.kind]}, ${languageName(template.language)}`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={`Actions for ${name}`}>
          <Icon name="dots" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onSelect('edit')}>{canEdit ? 'Edit' : 'View'}</Menu.Item>
        {canEdit && template.customized && (
          <Menu.Item c="var(--bad)" onClick={() => onSelect('reset')}>
            Reset
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ResetTemplateProps {
  project: Project;
  template: MailTemplate;
  onClose: () => void;
}

function ResetTemplate({ project, template: { kind, language }, onClose }: ResetTemplateProps): ReactNode {
  const reset = useApiMutation(
    () =>
      api.DELETE('/operator/v1/projects/{projectId}/mail-templates/{kind}/{language}', {
        params: { path: { projectId: project.id, kind, language } },
      }),
    '/operator/v1/projects',
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Reset this email template?"
      confirmLabel="Reset"
      danger
      onConfirm={async () => {
        await reset.mutateAsync(undefined);
        toastSuccess('Email template reset');
      }}
    >
      <Text>
        This project's text for <UntrustedText text={`${mailTypes[kind]}, ${languageName(language)}`} /> will
        be deleted. New emails will use the default text, or the text in the customer's next preferred
        language. This cannot be undone.
      </Text>
    </ActionDialog>
  );
}
