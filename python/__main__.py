from assay_worker.main import main

raise SystemExit(main())
