import { Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { UntrustedText } from '../components/untrusted-text';
import { Icon, type IconName } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { redactSecrets } from '../components/redact-secrets';
import classes from './command-palette.module.css';
import { accountPage, recordPath, visibleNavigation } from './navigation';
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

/** Returns the command palette, which finds records by ID, email address or name, and screens by name. */
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
  const [selectedIndex, setSelectedIndex] = useState(0);
  const [isEnterPending, setEnterPending] = useState(false);
  const { options, isSearching, problem } = usePaletteOptions(typed.trim());
  const navigate = useNavigate();
  const activeIndex = Math.min(selectedIndex, options.length - 1);

  const openOption = (option: PaletteOption | undefined): void => {
    if (!option) return;
    onClose();
    void navigate(option.to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setSelectedIndex((activeIndex + step + options.length) % Math.max(1, options.length));
    else if (event.key !== 'Enter') return;
    else if (options[activeIndex]) openOption(options[activeIndex]);
    else setEnterPending(isSearching);
    event.preventDefault();
  };
  // Opens the first result when the search finishes, if Enter was pressed before, for example after an ID was
  // pasted.
  useEffect(() => {
    if (!isEnterPending || isSearching) return;
    setEnterPending(false);
    openOption(options[0]);
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
        aria-controls="palette-options"
        aria-activedescendant={options[activeIndex] && `palette-${activeIndex}`}
        placeholder="Search by ID, email, URL or name, or go to a page"
        leftSection={<Icon name="search" size={18} />}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(redactSecrets(event.currentTarget.value));
          setSelectedIndex(0);
          setEnterPending(false);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-options" role="listbox" aria-label="Results" className={classes.options}>
        {options.map((option, index) => (
          <li
            key={option.key}
            ref={index === activeIndex ? scrollIntoView : undefined}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === activeIndex}
            className={classes.option}
            onMouseMove={() => setSelectedIndex(index)}
            onClick={() => openOption(option)}
          >
            <Icon name={option.icon} size={17} />
            <UntrustedText text={option.title} oneLine />
            {option.subtitle && (
              <span className={classes.subtitle}>
                <UntrustedText text={option.subtitle} oneLine />
              </span>
            )}
          </li>
        ))}
      </ul>
      {problem && <ProblemAlert error={problem} />}
      {options.length === 0 && !problem && (
        <Text c="dimmed" p="lg" ta="center" role="status">
          {isSearching ? 'Searching…' : 'Nothing found'}
        </Text>
      )}
    </>
  );
}

const scrollIntoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' });

function usePaletteOptions(typed: string): {
  options: PaletteOption[];
  isSearching: boolean;
  problem: Problem | null;
} {
  const session = useSession();
  const [debounced] = useDebouncedValue(typed, 150);
  const { data, isFetching, error } = useQuery<{ data: SearchResult[] }, Problem>({
    queryKey: ['/operator/v1/search', debounced],
    queryFn: async ({ signal }) =>
      (await fetchPath('/operator/v1/search', { query: { q: debounced } }, signal)) as {
        data: SearchResult[];
      },
    enabled: debounced.length > 1,
    staleTime: 10_000,
  });
  const hits = debounced.length > 1 && debounced === typed ? (data?.data ?? []) : [];
  const records = hits.flatMap(({ kind, id, title, subtitle, projectId }) => {
    const to = recordPath(kind, id, projectId);
    return to ? [{ key: `${kind} ${id}`, to, icon: icons[kind] ?? 'search', title, subtitle }] : [];
  });
  const pages = visibleNavigation(session)
    .flatMap((group) => group.items)
    .concat(accountPage)
    .filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))
    .map(({ label, to, icon }) => ({ key: to, to, icon, title: label, subtitle: null }));
  const isSearching = isFetching || debounced !== typed;
  return { options: [...records, ...pages], isSearching, problem: isSearching ? null : error };
}
