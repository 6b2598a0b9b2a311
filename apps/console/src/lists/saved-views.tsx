import { ActionIcon, Button, Menu, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { toastError, toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { showInvisible } from '../components/visible-text';
import classes from './saved-views.module.css';
import type { ListControls } from './use-list';
import type { ListName } from './use-list-params';
import { VIEWS_PATH, type SavedView } from './view-search';

type OpenDialog = 'save' | 'rename' | 'delete' | null;

/** Renders a list's saved views, and the buttons to save and change them. */
export function SavedViews({ list, name }: { list: ListControls; name: ListName }): ReactNode {
  const views = useGet(VIEWS_PATH).data?.data.filter((view) => view.list === name) ?? [];
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const open = views.find(({ id }) => id === list.viewId) ?? null;
  const isChanged = open !== null && open.query !== list.viewQuery;
  const canSave = list.viewQuery !== '' && (open === null || isChanged) && !list.filterError;
  if (views.length === 0 && !canSave && dialog === null) return null;
  return (
    <div className={classes.bar} role="group" aria-label="Saved views">
      {views.length > 0 && (
        <ViewButton isOpen={list.viewId === null && list.viewQuery === ''} onOpen={() => list.openView(null)}>
          All
        </ViewButton>
      )}
      {views.map((view) => (
        <ViewButton key={view.id} isOpen={view === open} onOpen={() => list.openView(view)}>
          <UntrustedText text={view.name} oneLine />
          {view === open && isChanged && (
            <Text span size="xs" c="dimmed">
              {' '}
              (changed)
            </Text>
          )}
        </ViewButton>
      ))}
      {open && <ViewMenu view={open} query={list.viewQuery} isChanged={isChanged} onSelect={setDialog} />}
      {canSave && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="bookmark" size={14} />}
          onClick={() => setDialog('save')}
        >
          {open ? 'Save as new view' : 'Save view'}
        </Button>
      )}
      {dialog !== null && (
        <ViewDialog
          kind={dialog}
          list={list}
          name={name}
          view={open}
          otherNames={views.filter((view) => dialog === 'save' || view !== open).map((view) => view.name)}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}

interface ViewButtonProps {
  isOpen: boolean;
  onOpen: () => void;
  children: ReactNode;
}

function ViewButton({ isOpen, onOpen, children }: ViewButtonProps): ReactNode {
  return (
    <UnstyledButton className={classes.view} aria-pressed={isOpen} onClick={onOpen}>
      {children}
    </UnstyledButton>
  );
}

interface ViewMenuProps {
  view: SavedView;
  query: string;
  isChanged: boolean;
  onSelect: (dialog: OpenDialog) => void;
}

function ViewMenu({ view, query, isChanged, onSelect }: ViewMenuProps): ReactNode {
  const update = useApiMutation(
    () =>
      unwrap(api.PATCH(`${VIEWS_PATH}/{viewId}`, { params: { path: { viewId: view.id } }, body: { query } })),
    VIEWS_PATH,
  );
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={showInvisible(`Actions for the view ${view.name}`)}
        >
          <Icon name="dots" size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={!isChanged}
          onClick={() =>
            update.mutate(undefined, { onSuccess: () => toastSuccess('View updated'), onError: toastError })
          }
        >
          Update with these filters
        </Menu.Item>
        <Menu.Item onClick={() => onSelect('rename')}>Rename</Menu.Item>
        <Menu.Item color="red" onClick={() => onSelect('delete')}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ViewDialogProps {
  kind: NonNullable<OpenDialog>;
  list: ListControls;
  name: ListName;
  /** The open view. */
  view: SavedView | null;
  /** The names of the list's other views. */
  otherNames: string[];
  onClose: () => void;
}

function ViewDialog({ kind, list, name, view, otherNames, onClose }: ViewDialogProps): ReactNode {
  const [typed, setTyped] = useState(kind === 'rename' ? (view?.name ?? '') : '');
  const viewName = typed.trim();
  const isTaken = otherNames.includes(viewName);
  const params = { path: { viewId: view?.id ?? '' } };
  const create = useApiMutation(
    () => unwrap(api.POST(VIEWS_PATH, { body: { list: name, name: viewName, query: list.viewQuery } })),
    VIEWS_PATH,
  );
  const rename = useApiMutation(
    () => unwrap(api.PATCH(`${VIEWS_PATH}/{viewId}`, { params, body: { name: viewName } })),
    VIEWS_PATH,
  );
  const remove = useApiMutation(() => unwrap(api.DELETE(`${VIEWS_PATH}/{viewId}`, { params })), VIEWS_PATH);
  const submit = async (): Promise<void> => {
    if (kind === 'save') list.openView(await create.mutateAsync(undefined));
    else if (kind === 'rename') await rename.mutateAsync(undefined);
    else {
      await remove.mutateAsync(undefined);
      list.openView(null);
    }
  };
  const texts = {
    save: { title: 'Save view', confirmLabel: 'Save' },
    rename: { title: 'Rename view', confirmLabel: 'Rename' },
    delete: { title: 'Delete this view?', confirmLabel: 'Delete', danger: true },
  }[kind];
  return (
    <ActionDialog
      {...texts}
      open
      onClose={onClose}
      disabled={kind !== 'delete' && (viewName === '' || isTaken)}
      onConfirm={submit}
    >
      {kind === 'delete' ? (
        <Text>
          The view <UntrustedText text={view?.name} /> will be deleted. The records in the list do not change.
        </Text>
      ) : (
        <TextInput
          label="Name"
          description={
            kind === 'save'
              ? 'The view contains the filters, the order and the columns, and only you can see it. Do not save personal data, such as an email address.'
              : undefined
          }
          required
          maxLength={60}
          data-autofocus
          value={typed}
          error={isTaken ? 'Another view of this list has this name' : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </ActionDialog>
  );
}
