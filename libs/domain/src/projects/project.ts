import type { ProjectSettings } from './project-settings.js';

/** What a request needs to know of its project. */
export interface ProjectContext {
  id: string;
  organizationId: string;
  name: string;
  organizationName: string;
  settings: ProjectSettings;
}
