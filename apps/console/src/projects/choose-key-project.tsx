import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { ProjectSelect } from '../components/record-select';

/** Renders the dialog that selects the project for a new API key and then opens the form in that project. */
export function ChooseKeyProject({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [projectId, setProjectId] = useState('');
  return (
    <Modal opened onClose={onClose} title="Create API key">
      <Stack>
        <ProjectSelect
          value={projectId}
          onChange={setProjectId}
          placeholder="Search projects"
          showLabel
          required
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={projectId === ''}
            onClick={() => void navigate(`/projects/${projectId}?tab=keys&create=1`, { replace: true })}
          >
            Continue
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
