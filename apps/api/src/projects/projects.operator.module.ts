import { Module } from '@nestjs/common';
import { ProjectsModule } from './projects.module.js';
import { ProjectsOperatorController } from './projects.operator.controller.js';

@Module({
  imports: [ProjectsModule],
  controllers: [ProjectsOperatorController],
})
export class ProjectsOperatorModule {}
