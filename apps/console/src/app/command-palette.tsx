import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { UntrustedText } from '../parts/untrusted-text';
import { Icon, type IconName } from '../parts/icon';
import { ProblemAlert } from '../parts/problem-alert';
import { redactSecrets } from '../parts/redact-secrets';
import classes from './command-palette.module.css';
import { recordPath, visibleNavigation } from './navigation';
import { useSession } from './session';

interface SearchResult {
  kind: string;
  id: string;
  title: string;
  subtitle: string | null;
  projectId: string | null;
}

interface PaletteOption {
  key: string;
  to: string;
  icon: IconName;
  title: string;
  subtitle: string | null;
}

const icons: Record<string, IconName> = {
  delivery: 'delivery',
  attempt: 'delivery',
  event: 'event',
  endpoint: 'endpoint',
  batch: 'batch',
  customer: 'customer',
  project: 'project',
  organization: 'organization',
  api_key: 'key',
};

/** Opens a pasted id, an e-mail, a project, or a screen by its name. */
export function useCommandPalette(): { open: () => void; dialog: ReactNode } {
  const [isOpen, dialog] = useDisclosure();
  return {
    open: dialog.open,
    dialog: (
      <Modal.Root opened={isOpen} onClose={dialog.close} centered={false} size="lg" yOffset="12vh">
        <Modal.Overlay />
        <Modal.Content aria-label="Search">
          <CommandPalette onClose={dialog.close} />
        </Modal.Content>
      </Modal.Root>
    ),
  };
}

function CommandPalette({ onClose }: { onClose: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [isHasty, setHasty] = useState(false);
  const { choices, isLooking, problem } = usePaletteOptions(typed.trim());
  const navigate = useNavigate();
  const active = Math.min(at, choices.length - 1);

  const go = (choice: PaletteOption | undefined): void => {
    if (!choice) return;
    onClose();
    void navigate(choice.to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((active + step + choices.length) % Math.max(1, choices.length));
    else if (event.key !== 'Enter') return;
    else if (choices[active]) go(choices[active]);
    else setHasty(isLooking);
    event.preventDefault();
  };
  // An id is pasted, and Enter pressed before anything can have been found.
  useEffect(() => {
    if (!isHasty || isLooking) return;
    setHasty(false);
    go(choices[0]);
  });

  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.input}
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls="palette-choices"
        aria-activedescendant={choices[active] && `palette-${active}`}
        placeholder="Search by ID, email, URL or name, or go to a page"
        leftSection={<Icon name="search" size={18} />}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(redactSecrets(event.currentTarget.value));
          setAt(0);
          setHasty(false);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-choices" role="listbox" aria-label="Results" className={classes.choices}>
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            ref={index === active ? scrollIntoView : undefined}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === active}
            className={classes.choice}
            onMouseMove={() => setAt(index)}
            onClick={() => go(choice)}
          >
            <Icon name={choice.icon} size={17} />
            <UntrustedText text={choice.title} oneLine />
            {choice.subtitle && (
              <span className={classes.subtitle}>
                <UntrustedText text={choice.subtitle} oneLine />
              </span>
            )}
          </li>
        ))}
      </ul>
      {problem && <ProblemAlert error={problem} />}
      {choices.length === 0 && !problem && (
        <Text c="dimmed" p="lg" ta="center" role="status">
          {isLooking ? 'Searching…' : 'Nothing found'}
        </Text>
      )}
    </>
  );
}

const scrollIntoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' });

function usePaletteOptions(typed: string): {
  choices: PaletteOption[];
  isLooking: boolean;
  problem: Problem | null;
} {
  const session = useSession();
  const [settled] = useDebouncedValue(typed, 150);
  const { data, isFetching, error } = useQuery<{ data: SearchResult[] }, Problem>({
    queryKey: ['/operator/v1/search', settled],
    queryFn: async ({ signal }) =>
      (await fetchPath('/operator/v1/search', { query: { q: settled } }, signal)) as { data: SearchResult[] },
    enabled: settled.length > 1,
    staleTime: 10_000,
  });
  const hits = settled.length > 1 && settled === typed ? (data?.data ?? []) : [];
  const found = hits.flatMap(({ kind, id, title, subtitle, projectId }) => {
    const to = recordPath(kind, id, projectId);
    return to ? [{ key: `${kind} ${id}`, to, icon: icons[kind] ?? 'search', title, subtitle }] : [];
  });
  const places = visibleNavigation(session)
    .flatMap((group) => group.items)
    .concat({ label: 'Account', to: '/account', icon: 'lock' })
    .filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
    .map(({ label, to, icon }) => ({ key: to, to, icon, title: label, subtitle: null }));
  const isLooking = isFetching || settled !== typed;
  return { choices: [...found, ...places], isLooking, problem: isLooking ? null : error };
}
